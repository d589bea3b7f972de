// Looks through stored blocks for transactions that pay to or spend from marked scripts: the message, its result, and
// the run function. The thread reads block and undo files by itself; only what may concern the asker goes back. Posted
// by parallel/block-scanner.ts, run by workers/verify.ts.
import { closeSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { parseBlock } from '../consensus/block/block-view.js';
import { equalBytes } from '../consensus/bytes/hex.js';
import { ByteReader, DecodeError, readU32 } from '../consensus/bytes/reader.js';
import type { Hashes } from '../crypto/crypto.js';
import { filterKey } from '../filters/basic-filter.js';
import { matchesAny } from '../filters/gcs.js';
import { readVarint, readVarintBig } from '../storage/codec/varint.js';
import { isMagic, RECORD_HEAD_BYTES, type RecordFormat } from '../storage/record-file.js';
import { applyXor } from '../storage/xor-key.js';
import { ScriptMarks, unpackScripts } from './script-marks.js';

/** Raised whenever a field of ScanJob or ScanResult, or the marks' layout, changes meaning. */
export const SCAN_MESSAGE_VERSION = 1;

/**
 * Milliseconds after which a job ends with what it has: a block that must be verified waits no longer than this and one
 * block.
 */
const BUDGET_MS = 8;
/** Files kept open per thread. */
const OPEN_FILES = 8;
/** No stored block and no undo record is larger. */
const MAX_RECORD_BYTES = 64 << 20;
const HEADER_BYTES = 80;
const CHECKSUM_BYTES = 32;
const HASH_BYTES = 32;
/** Script forms of coins that stand for a script without its bytes. */
const SPECIAL_FORMS = 6;

/** Where a block lies. */
export interface BlockToScan {
  /** Internal order. */
  readonly hash: Uint8Array;
  readonly file: number;
  readonly pos: number;
  /** Position in the rev file of the same number; -1 for genesis, which spends nothing. */
  readonly undoPos: number;
  /** Its BIP-0158 filter, null when there is none. */
  readonly filter: Uint8Array | null;
}

export interface ScanJob {
  readonly version: typeof SCAN_MESSAGE_VERSION;
  readonly folder: { readonly dir: string } & RecordFormat;
  readonly marks: SharedArrayBuffer;
  /** Every marked script itself, for blocks with filters; packScripts. */
  readonly scripts: SharedArrayBuffer | null;
  readonly blocks: readonly BlockToScan[];
}

/** A transaction to look at. */
export interface FoundTx {
  readonly position: number;
  readonly bytes: Uint8Array;
}

/**
 * Finds of a job in a few arrays, whatever their number: messages of many small objects cost the receiver more than the
 * scan.
 */
export interface ScanResult {
  readonly version: typeof SCAN_MESSAGE_VERSION;
  /**
   * Transactions found per block, in order; -1 for a block that could not be read. Perhaps not all blocks asked for.
   */
  readonly counts: Int32Array;
  /** Per transaction, in order: its place in its block, and where its bytes end. */
  readonly positions: Uint32Array;
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
  /** Blocks that a filter spared. */
  readonly skipped: number;
}

/** Finds of each block: views into the result; null for a block that could not be read. */
export function readFinds(result: ScanResult): (readonly FoundTx[] | null)[] {
  const { counts, positions, ends, bytes } = result;
  let at = 0;
  return Array.from(counts, (count) => {
    if (count < 0) return null;
    return Array.from({ length: count }, () => {
      const tx = { position: positions[at], bytes: bytes.subarray(at === 0 ? 0 : ends[at - 1], ends[at]) };
      at++;
      return tx;
    });
  });
}

function packFinds(blocks: readonly (readonly FoundTx[] | null)[], skipped: number): ScanResult {
  const txs = blocks.flatMap((found) => found ?? []);
  const bytes = new Uint8Array(txs.reduce((sum, tx) => sum + tx.bytes.length, 0));
  const ends = new Uint32Array(txs.length);
  let end = 0;
  txs.forEach((tx, i) => {
    bytes.set(tx.bytes, end);
    end += tx.bytes.length;
    ends[i] = end;
  });
  const counts = Int32Array.from(blocks, (found) => found?.length ?? -1);
  return { version: SCAN_MESSAGE_VERSION, counts, positions: Uint32Array.from(txs, (tx) => tx.position), ends, bytes, skipped };
}

/** The run function of one thread. */
export function createScanRunner(hashes: Hashes, nowMs: () => number): (job: ScanJob) => ScanResult {
  const files = new Map<string, number>();

  const fileOf = (dir: string, kind: 'blk' | 'rev', number: number): number => {
    const name = path.join(dir, `${kind}${String(number).padStart(5, '0')}.dat`);
    const fd = files.get(name) ?? openSync(name, 'r');
    // Inserting again moves it to the young end of the map.
    files.delete(name);
    files.set(name, fd);
    if (files.size > OPEN_FILES) {
      const [oldest, oldFd] = files.entries().next().value as [string, number];
      files.delete(oldest);
      closeSync(oldFd);
    }
    return fd;
  };
  const read = (fd: number, at: number, length: number, xorKey: Uint8Array | null): Uint8Array => {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const count = readSync(fd, bytes, done, length - done, at + done);
      if (count === 0) throw new DecodeError('the file ends inside a record');
      done += count;
    }
    applyXor(bytes, at, xorKey);
    return bytes;
  };
  const record = (job: ScanJob, kind: 'blk' | 'rev', { file }: BlockToScan, pos: number, trailer: number): Uint8Array => {
    const { dir, magic, xorKey } = job.folder;
    const fd = fileOf(dir, kind, file);
    const head = read(fd, pos - RECORD_HEAD_BYTES, RECORD_HEAD_BYTES, xorKey);
    const length = readU32(head, 4);
    if (!isMagic(head, 0, magic) || length > MAX_RECORD_BYTES) throw new DecodeError('no record where one should be');
    return read(fd, pos, length + trailer, xorKey);
  };

  /** Marks of transactions (by position) whose inputs spend a marked script. */
  const spenders = (job: ScanJob, block: BlockToScan, prevHash: Uint8Array, count: number, marks: ScriptMarks): Uint8Array => {
    const hit = new Uint8Array(count);
    if (block.undoPos < 0) return hit;
    const bytes = record(job, 'rev', block, block.undoPos, CHECKSUM_BYTES);
    const undo = bytes.subarray(0, bytes.length - CHECKSUM_BYTES);
    const sum = hashes.sha256d(Buffer.concat([prevHash, undo]));
    if (!equalBytes(sum, bytes.subarray(undo.length))) throw new DecodeError('undo data with a wrong checksum');
    markSpenders(undo, marks, hit);
    return hit;
  };

  const scan = (job: ScanJob, block: BlockToScan, marks: ScriptMarks): FoundTx[] => {
    const bytes = record(job, 'blk', block, block.pos, 0);
    if (bytes.length < HEADER_BYTES || !equalBytes(hashes.sha256d(bytes.subarray(0, HEADER_BYTES)), block.hash)) {
      throw new DecodeError('another block lies here');
    }
    const { txs } = parseBlock(bytes, hashes);
    const hit = spenders(job, block, bytes.subarray(4, 4 + HASH_BYTES), txs.length, marks);
    const found: FoundTx[] = [];
    const { hasOutpoints } = marks;
    for (let position = 0; position < txs.length; position++) {
      const tx = txs[position];
      let wanted = hit[position] === 1;
      for (let o = 0; o < tx.outputCount && !wanted; o++) {
        const script = tx.outputScript(o);
        wanted = marks.hasScript(script, 0, script.length);
      }
      for (let i = 0; hasOutpoints && i < tx.inputCount && !wanted; i++) wanted = marks.hasOutpoint(tx.outpoint(i));
      if (wanted) found.push({ position, bytes: tx.bytes });
    }
    return found;
  };

  return (job) => {
    if (job.version !== SCAN_MESSAGE_VERSION) throw new Error(`Scan message version ${job.version} is not ${SCAN_MESSAGE_VERSION}`);
    const marks = new ScriptMarks(job.marks);
    const started = nowMs();
    const scripts = job.scripts === null ? null : unpackScripts(job.scripts);
    const blocks: (FoundTx[] | null)[] = [];
    let skipped = 0;
    for (const block of job.blocks) {
      try {
        const spared = scripts !== null && block.filter !== null && !matchesAny(block.filter, filterKey(block.hash), scripts);
        if (spared) skipped++;
        blocks.push(spared ? [] : scan(job, block, marks));
      } catch (error) {
        if (!(error instanceof DecodeError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
        blocks.push(null);
      }
      if (nowMs() - started > BUDGET_MS) break;
    }
    return packFinds(blocks, skipped);
  };
}

/**
 * Walks undo data (storage/codec/undo.ts) without decoding scripts.
 * @param hit set to 1 at positions of spenders
 * @throws DecodeError
 */
export function markSpenders(undo: Uint8Array, marks: ScriptMarks, hit: Uint8Array): void {
  const reader = new ByteReader(undo);
  const count = reader.compactSize();
  if (count >= Math.max(hit.length, 1)) throw new DecodeError('undo data of more transactions than the block has');
  for (let position = 1; position <= count; position++) {
    for (let inputs = reader.compactSize(); inputs > 0; inputs--) {
      // A coin's height with its coinbase bit; Core's versions put a zero varint after all but height 0.
      if (readVarint(reader) > 1) readVarint(reader);
      readVarintBig(reader);
      const form = readVarint(reader);
      if (form < SPECIAL_FORMS) {
        const at = reader.skip(form < 2 ? 20 : 32);
        if (hit[position] === 0 && marks.hasForm(form, undo, at)) hit[position] = 1;
      } else {
        const at = reader.skip(form - SPECIAL_FORMS);
        if (hit[position] === 0 && marks.hasScript(undo, at, reader.offset)) hit[position] = 1;
      }
    }
  }
}
