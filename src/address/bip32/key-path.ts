// Paths of child numbers as text: /44'/0'/7 and the like. Used by descriptors and wallets.
import { HARDENED } from './extended-key.js';

/** What stands behind a hardened step. */
export type HardenedMark = "'" | 'h';

/** Steps as text, each after a slash; the empty path is the empty text. */
export function formatPath(path: readonly number[], mark: HardenedMark = "'"): string {
  let text = '';
  for (const step of path) text += step >= HARDENED ? `/${step - HARDENED}${mark}` : `/${step}`;
  return text;
}

const STEP = /^(\d+)(['h]?)$/;

/** Steps of a text like m/84h/1'/0, with or without the m, a slash at the end or not; null when it is no path. */
export function parsePath(text: string): number[] | null {
  const items = text.split('/');
  if (items.at(-1) === '') items.pop();
  if (items[0] === 'm') items.shift();
  const path: number[] = [];
  for (const item of items) {
    const [, digits, mark] = STEP.exec(item) ?? [];
    const step = Number(digits);
    if (digits === undefined || step >= HARDENED) return null;
    path.push(mark === '' ? step : step + HARDENED);
  }
  return path;
}
