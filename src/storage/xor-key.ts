// XOR key of a blocks folder (xor.dat, Core 28 and later): 8 bytes. Each byte of blk and rev files is XORed with a byte
// of the key, selected by its offset in the file. So virus scanners find no known patterns in the files.

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toHex } from '../consensus/bytes/hex.js';
import { replaceFile } from './replace-file.js';
import { fromSystemError, StoreError } from './store-error.js';

/** Length of a key in bytes. */
export const XOR_KEY_BYTES = 8;

const FILE_NAME = 'xor.dat';

/** Reads the key of a blocks folder; null if it has none or an all-zero one. */
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

/**
 * Applies -blocksxor to a folder, and returns its XOR key.
 * @param wanted true: create a random key if the folder has no files; false: throw if it has a key; undefined: use the
 *   key that is there, if any
 * @param isEmpty whether neither the folder nor the index has block or undo files
 * @throws StoreError
 */
export async function chooseXorKey(dir: string, wanted: boolean | undefined, isEmpty: boolean): Promise<Uint8Array | null> {
  const stored = await loadXorKey(dir);
  const path = join(dir, FILE_NAME);
  if (wanted === false && stored !== null) {
    throw new StoreError(
      'STORE_FORMAT',
      `The blocksdir XOR-key can not be disabled when a random key was already stored! Stored key: '${toHex(stored)}', stored path: '${path}'.`,
    );
  }
  if (wanted !== true || stored !== null || !isEmpty) return stored;
  try {
    await replaceFile(path, [randomBytes(XOR_KEY_BYTES)]);
  } catch (error) {
    throw fromSystemError(error, `write ${path}`);
  }
  return loadXorKey(dir);
}

/**
 * Applies the key in place.
 * @param fileOffset offset of the first byte in the file
 */
export function applyXor(bytes: Uint8Array, fileOffset: number, key: Uint8Array | null): void {
  if (key === null) return;
  const isAligned = (bytes.byteOffset & 3) === 0;
  // Words of four bytes take a sixth of the time.
  const whole = isAligned ? bytes.length - (bytes.length % XOR_KEY_BYTES) : 0;
  if (whole > 0) {
    const pair = new Int32Array(Uint8Array.from(key, (_, i) => key[(fileOffset + i) % XOR_KEY_BYTES] as number).buffer);
    const [even, odd] = pair as unknown as [number, number];
    const words = new Int32Array(bytes.buffer, bytes.byteOffset, whole >> 2);
    for (let i = 0; i < words.length; i += 2) {
      words[i] ^= even;
      words[i + 1] ^= odd;
    }
  }
  for (let i = whole; i < bytes.length; i++) bytes[i] ^= key[(fileOffset + i) % XOR_KEY_BYTES];
}
