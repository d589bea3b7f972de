// Checks a database's write-ahead log before RocksDB opens it. If a record is damaged, RocksDB opens the database as it
// was before that record, without an error, and everything written later is lost. The caller must know that. See
// docs/decisions/0023-sync-marks-in-the-write-ahead-log.md.
//
//   NNNNNN.log   blocks of 32 KiB; in each, records { masked crc32c, LE32 | length, LE16 | type, 1 | payload }, none reaching over
//                a block's end; less than 7 bytes at the end of a block are padding. Types from 5 to 8 have 4 more bytes in their head,
//                a log number that the checksum covers, like the type.          (RocksDB, db/log_format.h)
//   payload      sequence number, LE64 | count, LE32 | operations { 0: deletion | key's length, varint | key }   (db/write_batch.cc)
//
// A power failure keeps unsynced sectors of 512 bytes in any order; most systems write pages of 4 KiB, which the disk
// may have written partly. A synced batch ends with a record of its own, SYNC_MARK. If another record follows, its
// fsync had finished and everything before it was on the disk. So damage is a normal result of a power failure if no
// finished sync follows it. Otherwise acknowledged data was lost.

import { readdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { readU32 } from '../consensus/bytes/reader.js';
import { readExactly } from './record-file.js';
import type { BatchOp } from './store.js';
import { fromSystemError } from './store-error.js';

// CRC-32C (Castagnoli), as used by RocksDB: RFC 3720, reflected polynomial 0x82f63b78. Processes eight bytes per step
// with tables, about 400 MB/s.

const POLYNOMIAL = 0x82f63b78;
/** TABLES[k * 256 + byte]: contribution of a byte that is followed by k more bytes of the step. */
const TABLES = new Uint32Array(8 * 256);
for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) * POLYNOMIAL);
  TABLES[byte] = crc;
}
for (let i = 256; i < TABLES.length; i++) TABLES[i] = TABLES[TABLES[i - 256]! & 255]! ^ (TABLES[i - 256]! >>> 8);

/** Returns the unsigned checksum of bytes[start..end). */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let crc = 0xffffffff;
  let i = start;
  for (; i + 8 <= end; i += 8) {
    crc ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    crc =
      TABLES[1792 + (crc & 255)]! ^
      TABLES[1536 + ((crc >>> 8) & 255)]! ^
      TABLES[1280 + ((crc >>> 16) & 255)]! ^
      TABLES[1024 + (crc >>> 24)]! ^
      TABLES[768 + bytes[i + 4]!]! ^
      TABLES[512 + bytes[i + 5]!]! ^
      TABLES[256 + bytes[i + 6]!]! ^
      TABLES[bytes[i + 7]!]!;
  }
  for (; i < end; i++) crc = TABLES[(crc ^ bytes[i]!) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

const BLOCK_BYTES = 32_768;
const HEAD_BYTES = 7;
/** Number of blocks read and checked at once, which takes about a millisecond. */
const WINDOW_BLOCKS = 16;

const SECTOR_BYTES = 512;
const FULL_RECORD = 1;
const FIRST_PART = 2;
const LAST_PART = 4;
/** Highest type of records with batches. */
const MOST_BATCH_TYPE = 8;
/** Highest known type. Types above the batches describe the log itself and are at its beginning. */
const MOST_TYPE = 16;

/** Key that no row has. Deleting it marks a sync. */
const MARK_KEY = Uint8Array.of(255, 115, 121, 110, 99);
/**
 * Batch that is written before each sync, as the last record. It is not empty, because one of the bindings neither
 * writes nor syncs an empty batch.
 */
export const SYNC_MARK: readonly BatchOp[] = [{ type: 'del', key: MARK_KEY }];
/** Count, kind and key of a mark as they follow the sequence number. */
const MARK_TAIL = Uint8Array.of(1, 0, 0, 0, 0, MARK_KEY.length, ...MARK_KEY);
const SEQUENCE_BYTES = 8;
/** Size of a batch without operations. */
const PREFACE_BYTES = 12;
const MARK_BYTES = SEQUENCE_BYTES + MARK_TAIL.length;

/** The first damaged record of the logs. */
export interface LogDamage {
  readonly file: string;
  /** Offset of the record in the file. */
  readonly at: number;
  /**
   * True if synced data may be lost: intact records follow the damage, and at least one of them may belong to a
   * finished sync.
   */
  readonly inside: boolean;
}

/**
 * Checks all logs of a folder. An incomplete record at the end of the last file is the normal result of a kill and no
 * damage.
 * @param marked true if all syncs of these logs are known to have marks. False: the function looks for marks in the
 *   logs
 * @returns the first damage; null if there is none
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
  // If the last sync was unfinished, the damage is a sector of zeros. Any other damage was caused by the disk itself.
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
  /** First damage. `hole` is true if a sector, or the rest of one, is zero there. */
  bad: { file: string; at: number; hole: boolean } | null;
  /**
   * Position of zeros or of an incomplete record. It is damage if intact records of the same file follow; otherwise it
   * is the normal result of a kill.
   */
  gapAt: number | null;
  gapHole: boolean;
  /** First part of the current record. */
  begun: Uint8Array;
  /** True if the writer of these logs marked its syncs. */
  marks: boolean;
  /**
   * Findings after the damage: an intact record (soundAfter), a mark (markAfter), a record after a mark (syncedAfter).
   */
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

/**
 * Checks one block.
 * @param base offset of the block in the file
 * @param last whether this is the last block of the file
 */
function checkBlock(file: string, block: Uint8Array, base: number, last: boolean, found: Findings): void {
  for (let at = 0; at + HEAD_BYTES <= block.length; ) {
    const end = soundEnd(block, at);
    if (end > 0) {
      if (found.gapAt !== null) found.bad ??= { file, at: found.gapAt, hole: found.gapHole };
      noteRecord(block[at + 6]!, block.subarray(at + HEAD_BYTES, end), found);
      at = end;
      continue;
    }
    // Zeros or an incomplete record: the normal result of a kill at the end of the log, unless an intact record
    // follows.
    const isEnd = isZero(block, at) || (last && recordEnd(block, at) > block.length);
    if (!isEnd) found.bad ??= { file, at: base + at, hole: hasHole(block, at) };
    else if (found.gapAt === null) {
      found.gapAt = base + at;
      found.gapHole = hasHole(block, at);
    }
    // The length field itself may be damaged, so the next record may begin at any byte.
    do at++;
    while (at + HEAD_BYTES <= block.length && (block[at + 6]! > MOST_TYPE || soundEnd(block, at) === 0));
  }
}

const isZero = (block: Uint8Array, at: number): boolean => readU32(block, at) === 0 && readU32(block, at + 3) === 0;

function recordEnd(block: Uint8Array, at: number): number {
  const type = block[at + 6]!;
  return at + HEAD_BYTES + (type >= 5 && type <= 8 ? 4 : 0) + (block[at + 4]! | (block[at + 5]! << 8));
}

/** Returns the end of the record that begins at `at`; 0 if there is no record or it is damaged. */
function soundEnd(block: Uint8Array, at: number): number {
  const type = block[at + 6]!;
  if (type === 0) return 0;
  const end = recordEnd(block, at);
  return end <= block.length && masked(crc32c(block, at + 6, end)) === readU32(block, at) ? end : 0;
}

/** Records what an intact record shows about marks and syncs. */
function noteRecord(type: number, payload: Uint8Array, found: Findings): void {
  if (isPreface(type, payload)) return;
  // A mark may be split into two records at the end of a block.
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
 * Returns whether a record is one of those with which RocksDB begins a log. Such a record has no rows. It may even
 * follow a damaged log, if RocksDB was killed while it was recovering that log.
 */
function isPreface(type: number, payload: Uint8Array): boolean {
  return type > MOST_BATCH_TYPE || (type === FULL_RECORD && payload.length === PREFACE_BYTES && readU32(payload, SEQUENCE_BYTES) === 0);
}

function isMark(payload: Uint8Array): boolean {
  return payload.length === MARK_BYTES && MARK_TAIL.every((byte, i) => payload[SEQUENCE_BYTES + i] === byte);
}

/** Returns whether a sector of the block is all zero, from a position on. */
function hasHole(block: Uint8Array, from: number): boolean {
  for (let start = from; start < block.length; ) {
    const end = Math.min(block.length, start - (start % SECTOR_BYTES) + SECTOR_BYTES);
    if (block.subarray(start, end).every((byte) => byte === 0)) return true;
    start = end;
  }
  return false;
}

/** RocksDB stores checksums rotated and shifted, so that a checksum over bytes that contain checksums stays strong. */
const masked = (crc: number): number => (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
