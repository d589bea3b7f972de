// Converts between paths of child numbers and text: /44'/0'/7 and the like.
import { HARDENED } from './extended-key.js';

/** Character behind a hardened step of a key path, as in 84' or 84h. */
export type HardenedMark = "'" | 'h';

/** Formats steps, each after a slash. The empty path is the empty text. */
export function formatPath(path: readonly number[], mark: HardenedMark = "'"): string {
  let text = '';
  for (const step of path) text += step >= HARDENED ? `/${step - HARDENED}${mark}` : `/${step}`;
  return text;
}

const STEP = /^(\d+)(['h]?)$/;

/** Parses a text like m/84h/1'/0, with or without the m and a slash at the end; null if it is invalid. */
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
