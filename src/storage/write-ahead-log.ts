// Looks at a database's write-ahead log before RocksDB does. Where a record of it is damaged, RocksDB opens the database as it was before that
// record and says nothing; what was written after it is gone. Whoever opens the folder should know. Caller: open-store.ts.
//
//   NNNNNN.log   blocks of 32 KiB; in each, records { masked crc32c, LE32 | length, LE16 | type, 1 | payload }, none reaching over
//                a block's end; less than 7 bytes at the end of a block are padding. Types from 5 to 8 have 4 more bytes in their head,
//                a log number that the checksum covers, like the type.          (RocksDB, db/log_format.h)

import { readdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { readU32 } from '../consensus/bytes/reader.js';
import { crc32c } from './codec/crc32c.js';
import { readExactly } from './record-file.js';
import { fromSystemError } from './store-error.js';

const BLOCK_BYTES = 32_768;
const HEAD_BYTES = 7;
/** Blocks read at once; checked in one go, which takes about a millisecond. */
const WINDOW_BLOCKS = 16;

/** The first record that is not as it was written. */
export interface LogDamage {
  readonly file: string;
  /** Offset of the record in the file. */
  readonly at: number;
  /** Whether sound records come after it: what a loss of power leaves usually has none. */
  readonly inside: boolean;
}

/** Checks all logs of a folder. A record that the last file is too short for is what a kill leaves, and no damage. */
export async function checkWriteAheadLog(dir: string): Promise<LogDamage | null> {
  const names = logFiles(dir);
  let bad: { file: string; at: number } | null = null;
  for (const name of names) {
    const found = await checkFile(join(dir, name));
    const inside = found.goodAfterBad || (bad !== null && found.records > 0);
    if (bad === null && found.badAt !== null) bad = { file: join(dir, name), at: found.badAt };
    if (bad !== null && inside) return { ...bad, inside };
  }
  return bad === null ? null : { ...bad, inside: false };
}

function logFiles(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => /^\d+\.log$/.test(name))
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fromSystemError(error, `read the folder ${dir}`);
  }
}

interface Findings {
  /** Sound records. */
  records: number;
  badAt: number | null;
  goodAfterBad: boolean;
}

async function checkFile(path: string): Promise<Findings> {
  const found: Findings = { records: 0, badAt: null, goodAfterBad: false };
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    throw fromSystemError(error, `open ${path}`);
  }
  try {
    const { size } = await handle.stat();
    const window = new Uint8Array(Math.min(size, WINDOW_BLOCKS * BLOCK_BYTES));
    for (let start = 0; start < size && !found.goodAfterBad; start += window.length) {
      const part = window.subarray(0, Math.min(window.length, size - start));
      await readExactly(handle, path, part, start, null);
      for (let at = 0; at < part.length; at += BLOCK_BYTES) {
        checkBlock(part.subarray(at, Math.min(part.length, at + BLOCK_BYTES)), start + at, start + at + BLOCK_BYTES >= size, found);
      }
    }
    return found;
  } finally {
    await handle.close();
  }
}

/** @param base offset of the block in the file @param last whether the file ends in or with this block */
function checkBlock(block: Uint8Array, base: number, last: boolean, found: Findings): void {
  let at = 0;
  while (at + HEAD_BYTES <= block.length) {
    const length = block[at + 4]! | (block[at + 5]! << 8);
    const type = block[at + 6]!;
    // Room that was reserved and not used.
    if (type === 0 && length === 0 && readU32(block, at) === 0) return;
    const end = at + HEAD_BYTES + (type >= 5 && type <= 8 ? 4 : 0) + length;
    if (end > block.length) {
      if (!last) found.badAt ??= base + at;
      return;
    }
    if (masked(crc32c(block, at + 6, end)) !== readU32(block, at)) {
      found.badAt ??= base + at;
      // The length may be what is wrong, so the next record is looked for in the next block.
      return;
    }
    found.records++;
    if (found.badAt !== null) {
      found.goodAfterBad = true;
      return;
    }
    at = end;
  }
}

/** RocksDB stores checksums turned and shifted, so that a checksum over bytes that hold checksums stays a good one. */
const masked = (crc: number): number => (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
