// Reads and checks records of the block files: the length before a payload, whether a file has blocks of this network,
// and whether the last block in the index is complete.

import type { FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readU32 } from '../consensus/bytes/reader.js';
import { ReadHandles } from './read-handles.js';
import { isMagic, RECORD_HEAD_BYTES, type RecordFormat, readExactly } from './record-file.js';
import { StoreError } from './store-error.js';
import { applyXor } from './xor-key.js';

/** Position of a record's payload: file number, and byte offset behind the 8-byte head, as in Core's index. */
export interface BlockPosition {
  readonly file: number;
  readonly pos: number;
}

/**
 * Number of bytes of the first file that are searched for a complete record, because the first record may be damaged.
 */
const SEARCH_BYTES = 8 << 20;
/** Largest size of a block. */
const MAX_RECORD_BYTES = 4_000_000;

/** Returns the name of a file of blocks (blk) or undo data (rev). */
export const fileName = (kind: 'blk' | 'rev', file: number): string => `${kind}${String(file).padStart(5, '0')}.dat`;

/** Returns null if the error means that no further record follows; throws other errors. */
export function endOfRecords(error: unknown): null {
  if (error instanceof StoreError && (error.code === 'STORE_CORRUPTION' || error.code === 'STORE_NOT_FOUND')) return null;
  throw error;
}

/** Reads the length before a payload and checks it against the file size, before anything is allocated for it. */
export async function readLength(
  handle: Parameters<typeof readExactly>[0],
  path: string,
  format: RecordFormat,
  pos: number,
  fileSize: number,
  trailerBytes: number,
): Promise<number> {
  if (!(Number.isSafeInteger(pos) && pos >= RECORD_HEAD_BYTES && pos <= fileSize)) {
    throw new StoreError('STORE_NOT_FOUND', `${basename(path)} has no record at ${pos}`);
  }
  const head = new Uint8Array(RECORD_HEAD_BYTES);
  await readExactly(handle, path, head, pos - RECORD_HEAD_BYTES, format.xorKey);
  if (!isMagic(head, 0, format.magic)) throw new StoreError('STORE_CORRUPTION', `${basename(path)} has no record at ${pos}: wrong magic`);
  const length = readU32(head, 4);
  if (pos + length + trailerBytes > fileSize) {
    throw new StoreError(
      'STORE_CORRUPTION',
      `The record of ${basename(path)} at ${pos} has a length of ${length} bytes, which exceeds the end of the file`,
    );
  }
  return length;
}

/**
 * Checks that the existing files have this XOR key and are of this network, before anything is appended to them.
 * @throws StoreError
 */
export async function assertReadable(dir: string, format: RecordFormat, sizes: ReadonlyMap<number, number>): Promise<void> {
  const first = [...sizes.keys()].sort((a, b) => a - b).find((file) => (sizes.get(file) as number) > RECORD_HEAD_BYTES);
  if (first === undefined) return;
  const size = sizes.get(first) as number;
  const path = join(dir, fileName('blk', first));
  const handles = new ReadHandles(0);
  try {
    await handles.use(path, async (handle) => {
      if (await isRecord(handle, path, format, 0, size)) return;
      // The first record may be damaged. Any complete record that is followed by another one, or by the end of the
      // file, proves that key and network are right.
      const window = new Uint8Array(Math.min(SEARCH_BYTES, size));
      await readExactly(handle, path, window, 0, format.xorKey);
      for (let at = 0; at + RECORD_HEAD_BYTES <= window.length; at++)
        if (isMagic(window, at, format.magic) && (await isRecord(handle, path, format, at, size))) return;
      throw new StoreError(
        'STORE_CORRUPTION',
        `${path} holds no blocks of this network: wrong data directory, or the xor.dat beside it is missing or changed`,
      );
    });
  } finally {
    handles.close();
  }
}

/**
 * Returns whether a record begins at an offset and is followed by another record, reserved zeros, or the end of the
 * file.
 */
async function isRecord(handle: FileHandle, path: string, format: RecordFormat, at: number, size: number): Promise<boolean> {
  const head = new Uint8Array(RECORD_HEAD_BYTES);
  if (at + RECORD_HEAD_BYTES > size) return false;
  await readExactly(handle, path, head, at, format.xorKey);
  const length = readU32(head, 4);
  if (!isMagic(head, 0, format.magic) || length > MAX_RECORD_BYTES) return false;
  const next = at + RECORD_HEAD_BYTES + length;
  // An incomplete record does not prove the key, unless it is the only one in the file.
  if (next + RECORD_HEAD_BYTES > size) return at === 0 || next === size;
  await readExactly(handle, path, head, next, null);
  // Space reserved by Core is zero on the disk, because the XOR key is not applied to it.
  if (head.every((byte) => byte === 0)) return true;
  applyXor(head, next, format.xorKey);
  return isMagic(head, 0, format.magic);
}

export async function assertKnownBlock(dir: string, format: RecordFormat, known: BlockPosition): Promise<void> {
  const path = join(dir, fileName('blk', known.file));
  const handles = new ReadHandles(0);
  try {
    await handles.use(path, async (handle) => {
      const { size } = await handle.stat();
      await readLength(handle, path, format, known.pos, size, 0);
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError(
      'STORE_CORRUPTION',
      `${basename(path)} lacks a block at ${known.pos} that is in the block index: ${reason}`,
      error,
    );
  } finally {
    handles.close();
  }
}
