// Looks at a database's write-ahead log before RocksDB does. Where a record of it is damaged, RocksDB opens the
// database as it was before that record and says nothing; what was written after it is gone. The caller that opens the
// folder must know.
//
//   NNNNNN.log   blocks of 32 KiB; in each, records { masked crc32c, LE32 | length, LE16 | type, 1 | payload }, none reaching over
//                a block's end; less than 7 bytes at the end of a block are padding. Types from 5 to 8 have 4 more bytes in their head,
//                a log number that the checksum covers, like the type.          (RocksDB, db/log_format.h)
//   payload      sequence number, LE64 | count, LE32 | operations { 0: deletion | key's length, varint | key }   (db/write_batch.cc)
//
// A loss of power keeps sectors of 512 bytes in any order from those that were not synced: most systems write pages of
// 4 KiB, which the disk may have written in part. A synced batch ends with a record of its own, SYNC_MARK: when another
// record comes after it, its fsync was over, and everything before it was on the disk. So damage is the price of a loss
// of power when no finished sync came after it, and otherwise it took what was acknowledged.

import { readdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { readU32 } from '../consensus/bytes/reader.js';
import { crc32c } from './codec/crc32c.js';
import { readExactly } from './record-file.js';
import type { BatchOp } from './store.js';
import { fromSystemError } from './store-error.js';

const BLOCK_BYTES = 32_768;
const HEAD_BYTES = 7;
/** Blocks read at once; checked in one go, which takes about a millisecond. */
const WINDOW_BLOCKS = 16;

const SECTOR_BYTES = 512;
const FULL_RECORD = 1;
const FIRST_PART = 2;
const LAST_PART = 4;
/** Types of records that hold batches. */
const MOST_BATCH_TYPE = 8;
/** Those above say something of the log itself, and come at its beginning. */
const MOST_TYPE = 16;

/** The key that no row has; to delete it says that a sync follows. */
const MARK_KEY = Uint8Array.of(255, 115, 121, 110, 99);
/**
 * The last operation of what is synced, a batch of its own. Not an empty one, which one of the bindings neither writes
 * nor syncs.
 */
export const SYNC_MARK: readonly BatchOp[] = [{ type: 'del', key: MARK_KEY }];
/** Count, kind and key as they stand behind the sequence number. */
const MARK_TAIL = Uint8Array.of(1, 0, 0, 0, 0, MARK_KEY.length, ...MARK_KEY);
const SEQUENCE_BYTES = 8;
/** A batch without operations. */
const PREFACE_BYTES = 12;
const MARK_BYTES = SEQUENCE_BYTES + MARK_TAIL.length;

/** The first record that is not as it was written. */
export interface LogDamage {
  readonly file: string;
  /** Offset of the record in the file. */
  readonly at: number;
  /**
   * Whether it may have taken what was synced: sound records come after it, and it is not known that no sync among them
   * was over.
   */
  readonly inside: boolean;
}

/**
 * Checks all logs of a folder. A record that the last file is too short for is what a kill leaves, and no damage.
 * @param marked every sync of these logs is known to be marked; absent: they tell by themselves
 */
export async function checkWriteAheadLog(dir: string, marked = false): Promise<LogDamage | null> {
  const found: Findings = {
    bad: null,
    gapAt: null,
    gapHole: false,
    begun: new Uint8Array(0),
    marks: marked,
    soundAfter: false,
    markAfter: false,
    syncedAfter: false,
  };
  for (const name of logFiles(dir)) await checkFile(join(dir, name), found);
  const { bad, marks, soundAfter, markAfter, syncedAfter } = found;
  if (bad === null) return null;
  // The last sync may have been under way. What it lacked are sectors that are zero still; of anything else the disk
  // itself is the cause.
  const unsynced = marks && !syncedAfter && (!markAfter || bad.hole);
  return { file: bad.file, at: bad.at, inside: soundAfter && !unsynced };
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
  /** The first damage, and whether a sector or the rest of one is zero there. */
  bad: { file: string; at: number; hole: boolean } | null;
  /**
   * Where zeros or half a record stand: damage when sound records of the same file come after them, otherwise what a
   * kill leaves.
   */
  gapAt: number | null;
  gapHole: boolean;
  /** The first part of the record that is read. */
  begun: Uint8Array;
  /** Whether what wrote these logs marks its syncs. */
  marks: boolean;
  /** Behind the damage: a sound record, a mark, a record behind a mark. */
  soundAfter: boolean;
  markAfter: boolean;
  syncedAfter: boolean;
}

async function checkFile(path: string, found: Findings): Promise<void> {
  found.gapAt = null;
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    throw fromSystemError(error, `open ${path}`);
  }
  try {
    const { size } = await handle.stat();
    const window = new Uint8Array(Math.min(size, WINDOW_BLOCKS * BLOCK_BYTES));
    for (let start = 0; start < size && !found.syncedAfter; start += window.length) {
      const part = window.subarray(0, Math.min(window.length, size - start));
      await readExactly(handle, path, part, start, null);
      for (let at = 0; at < part.length; at += BLOCK_BYTES) {
        checkBlock(path, part.subarray(at, Math.min(part.length, at + BLOCK_BYTES)), start + at, start + at + BLOCK_BYTES >= size, found);
      }
    }
  } finally {
    await handle.close();
  }
}

/** @param base offset of the block in the file @param last whether the file ends in or with this block */
function checkBlock(file: string, block: Uint8Array, base: number, last: boolean, found: Findings): void {
  for (let at = 0; at + HEAD_BYTES <= block.length; ) {
    const end = soundEnd(block, at);
    if (end > 0) {
      if (found.gapAt !== null) found.bad ??= { file, at: found.gapAt, hole: found.gapHole };
      noteRecord(block[at + 6]!, block.subarray(at + HEAD_BYTES, end), found);
      at = end;
      continue;
    }
    // Zeros, or a record that the file is too short for: what a kill leaves at the end, unless a sound record comes
    // after it.
    const isEnd = isZero(block, at) || (last && recordEnd(block, at) > block.length);
    if (!isEnd) found.bad ??= { file, at: base + at, hole: hasHole(block, at) };
    else if (found.gapAt === null) {
      found.gapAt = base + at;
      found.gapHole = hasHole(block, at);
    }
    // The length may be what is wrong, or lost: the next record may begin anywhere.
    do at++;
    while (at + HEAD_BYTES <= block.length && (block[at + 6]! > MOST_TYPE || soundEnd(block, at) === 0));
  }
}

const isZero = (block: Uint8Array, at: number): boolean => readU32(block, at) === 0 && readU32(block, at + 3) === 0;

function recordEnd(block: Uint8Array, at: number): number {
  const type = block[at + 6]!;
  return at + HEAD_BYTES + (type >= 5 && type <= 8 ? 4 : 0) + (block[at + 4]! | (block[at + 5]! << 8));
}

/** Where the record that begins here ends; 0 when it is none, or not as it was written. */
function soundEnd(block: Uint8Array, at: number): number {
  const type = block[at + 6]!;
  if (type === 0) return 0;
  const end = recordEnd(block, at);
  return end <= block.length && masked(crc32c(block, at + 6, end)) === readU32(block, at) ? end : 0;
}

/** A sound record. */
function noteRecord(type: number, payload: Uint8Array, found: Findings): void {
  if (isPreface(type, payload)) return;
  // A block's end may part a mark.
  if (type === FIRST_PART) found.begun = payload.slice(0, MARK_BYTES);
  const whole = type === LAST_PART ? Buffer.concat([found.begun, payload]) : payload;
  const mark = (type === FULL_RECORD || type === LAST_PART) && isMark(whole);
  if (found.bad !== null) {
    found.soundAfter = true;
    if (found.markAfter) found.syncedAfter = true;
    if (mark) found.markAfter = true;
  }
  if (mark) found.marks = true;
}

/**
 * What RocksDB itself begins a log with, also behind a damaged one that it was taking in when it was killed: holds no
 * rows.
 */
function isPreface(type: number, payload: Uint8Array): boolean {
  return type > MOST_BATCH_TYPE || (type === FULL_RECORD && payload.length === PREFACE_BYTES && readU32(payload, SEQUENCE_BYTES) === 0);
}

function isMark(payload: Uint8Array): boolean {
  return payload.length === MARK_BYTES && MARK_TAIL.every((byte, i) => payload[SEQUENCE_BYTES + i] === byte);
}

/** Whether a sector of a block is zero, from a position in it on. */
function hasHole(block: Uint8Array, from: number): boolean {
  for (let start = from; start < block.length; ) {
    const end = Math.min(block.length, start - (start % SECTOR_BYTES) + SECTOR_BYTES);
    if (block.subarray(start, end).every((byte) => byte === 0)) return true;
    start = end;
  }
  return false;
}

/** RocksDB stores checksums turned and shifted, so that a checksum over bytes that hold checksums stays a good one. */
const masked = (crc: number): number => (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
