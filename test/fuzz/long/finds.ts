// Stores each find of the long fuzz suite as a small file that becomes a test: test/fuzz/finds/TARGET-DIGEST.hex, one
// input each.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Target } from './target.js';

const FOLDER = path.resolve(import.meta.dirname, '../../../../test/fuzz/finds');
const MOST_TRIES = 3000;

/** Returns true if a check of the input fails. */
function fails(target: Target, input: Uint8Array): boolean {
  try {
    target.check(input);
    return false;
  } catch {
    return true;
  }
}

/** Removes parts of an input for as long as it still fails. */
export function shrink(target: Target, input: Uint8Array): Uint8Array {
  let best = input;
  let tries = 0;
  for (let size = best.length >> 1; size > 0 && tries < MOST_TRIES; size >>= 1) {
    for (let at = 0; at + size <= best.length && tries < MOST_TRIES; ) {
      const shorter = Uint8Array.from([...best.subarray(0, at), ...best.subarray(at + size)]);
      tries++;
      if (fails(target, shorter)) best = shorter;
      else at += size;
    }
  }
  return best;
}

/** Writes an input as a test. @returns the file */
export function saveFind(name: string, input: Uint8Array): string {
  fs.mkdirSync(FOLDER, { recursive: true });
  const digest = createHash('sha256').update(input).digest('hex').slice(0, 12);
  const file = path.join(FOLDER, `${name}-${digest}.hex`);
  fs.writeFileSync(file, `${Buffer.from(input).toString('hex')}\n`);
  return file;
}

/** Returns all inputs that were found before. */
export function savedFinds(): { name: string; file: string; input: Uint8Array }[] {
  if (!fs.existsSync(FOLDER)) return [];
  return fs
    .readdirSync(FOLDER)
    .filter((file) => file.endsWith('.hex'))
    .sort()
    .map((file) => ({
      name: file.slice(0, file.lastIndexOf('-')),
      file,
      input: new Uint8Array(Buffer.from(fs.readFileSync(path.join(FOLDER, file), 'utf8').trim(), 'hex')),
    }));
}
