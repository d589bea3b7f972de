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
