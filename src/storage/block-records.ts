// Reading and judging records of the block files: the length in front of a payload, whether a file holds blocks of this
// network at all, and whether the block that the index knows last is there.

import type { FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readU32 } from '../consensus/bytes/reader.js';
import { ReadHandles } from './read-handles.js';
import { isMagic, RECORD_HEAD_BYTES, type RecordFormat, readExactly } from './record-file.js';
import { StoreError } from './store-error.js';
import { applyXor } from './xor-key.js';

/** Where a record's payload starts: file number and byte offset behind the 8-byte head, as in Core's index. */
export interface BlockPosition {
  readonly file: number;
  readonly pos: number;
}

/** Bytes of the first file in which some block must begin; the very first may be damaged. */
const SEARCH_BYTES = 8 << 20;
/** No block is larger. */
const MAX_RECORD_BYTES = 4_000_000;

/** Name of a file of blocks (blk) or undo data (rev). */
export const fileName = (kind: 'blk' | 'rev', file: number): string => `${kind}${String(file).padStart(5, '0')}.dat`;

/** Where a walk over records ends; other failures go on. */
export function endOfRecords(error: unknown): null {
  if (error instanceof StoreError && (error.code === 'STORE_CORRUPTION' || error.code === 'STORE_NOT_FOUND')) return null;
  throw error;
}

/**
 * Reads the head in front of a payload and checks its length against the size of the file, before anything is allocated
 * for it.
 */
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
    throw new StoreError('STORE_CORRUPTION', `The record of ${basename(path)} at ${pos} claims ${length} bytes, more than the file has`);
  }
  return length;
}

/** Refuses files under another key or of another network, before anything is written behind their blocks. */
export async function assertReadable(dir: string, format: RecordFormat, sizes: ReadonlyMap<number, number>): Promise<void> {
  const first = [...sizes.keys()].sort((a, b) => a - b).find((file) => (sizes.get(file) as number) > RECORD_HEAD_BYTES);
  if (first === undefined) return;
  const size = sizes.get(first) as number;
  const path = join(dir, fileName('blk', first));
  const handles = new ReadHandles(0);
  try {
    await handles.use(path, async (handle) => {
      if (await isRecord(handle, path, format, 0, size)) return;
      // The first record may be damaged: some whole one, with another or the file's end behind it, proves the key.
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

/** Whether a record begins here and another, or the end of the file, follows it. */
async function isRecord(handle: FileHandle, path: string, format: RecordFormat, at: number, size: number): Promise<boolean> {
  const head = new Uint8Array(RECORD_HEAD_BYTES);
  if (at + RECORD_HEAD_BYTES > size) return false;
  await readExactly(handle, path, head, at, format.xorKey);
  const length = readU32(head, 4);
  if (!isMagic(head, 0, format.magic) || length > MAX_RECORD_BYTES) return false;
  const next = at + RECORD_HEAD_BYTES + length;
  // What is cut short is torn; only the first record may prove anything then.
  if (next + RECORD_HEAD_BYTES > size) return at === 0 || next === size;
  await readExactly(handle, path, head, next, null);
  // Room that was reserved is zero whatever the key.
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
      `The block index names a block in ${basename(path)} at ${known.pos} that is not there: ${reason}`,
      error,
    );
  } finally {
    handles.close();
  }
}
