// The XOR key of a blocks folder (xor.dat, Core 28 and later): 8 bytes, applied to every byte of blk and rev files by
// its offset in the file, so that virus scanners don't find things in the chain.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromSystemError, StoreError } from './store-error.js';

/** Length of a key in bytes. */
export const XOR_KEY_BYTES = 8;

const FILE_NAME = 'xor.dat';

/** Reads the key of a blocks folder; null when it has none or an all-zero one. */
export async function loadXorKey(dir: string): Promise<Uint8Array | null> {
  const path = join(dir, FILE_NAME);
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw fromSystemError(error, `read ${path}`);
  }
  if (bytes.length !== XOR_KEY_BYTES)
    throw new StoreError('STORE_CORRUPTION', `${path} must have ${XOR_KEY_BYTES} bytes, not ${bytes.length}`);
  return bytes.every((byte) => byte === 0) ? null : Uint8Array.from(bytes);
}

/** Applies the key in place. @param fileOffset where the first byte stands in the file */
export function applyXor(bytes: Uint8Array, fileOffset: number, key: Uint8Array | null): void {
  if (key === null) return;
  let k = fileOffset % XOR_KEY_BYTES;
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] ^= key[k];
    k = (k + 1) & (XOR_KEY_BYTES - 1);
  }
}
