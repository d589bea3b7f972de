// Searches stored blocks for transactions that pay to or spend from marked scripts: the message, its result, and the
// function that runs on a worker thread (workers/verify.ts). The thread reads block and undo files itself and returns
// only transactions that may be relevant.
import { parseBlock } from '../consensus/block/block-view.js';
import { ByteReader, DecodeError } from '../consensus/bytes/reader.js';
import type { Hashes } from '../crypto/crypto.js';
import { filterKey, matchesAny } from '../filters/index.js';
import { readVarint, readVarintBig } from '../storage/codec/varint.js';
import { StoreError } from '../storage/store-error.js';
import { type RecordFolder, SyncRecords } from '../storage/sync-records.js';
import { ScriptMarks, unpackScripts } from './script-marks.js';

/** Incremented whenever a field of ScanJob or ScanResult, or the marks' layout, changes its meaning. */
export const SCAN_MESSAGE_VERSION = 1;

/**
 * Milliseconds after which a job returns its results so far. A block that must be verified waits no longer than this
 * plus one block.
 */
const BUDGET_MS = 8;
/** Number of open files per thread. */
const OPEN_FILES = 8;
const HASH_BYTES = 32;
/** Number of special script forms of coins, which represent a script without its bytes. */
const SPECIAL_FORMS = 6;

/** Location of a block. */
export interface BlockToScan {
  /** Internal order. */
  readonly hash: Uint8Array;
  readonly file: number;
  readonly pos: number;
  /** Position in the rev file of the same number; -1 for the genesis block, which spends nothing. */
  readonly undoPos: number;
  /** BIP-0158 filter of the block; null if there is none. */
  readonly filter: Uint8Array | null;
}

export interface ScanJob {
  readonly version: typeof SCAN_MESSAGE_VERSION;
  readonly folder: RecordFolder;
  readonly marks: SharedArrayBuffer;
  /** All marked scripts, to match against filters; made by packScripts. */
  readonly scripts: SharedArrayBuffer | null;
  readonly blocks: readonly BlockToScan[];
}

/** A transaction that may be relevant. */
export interface FoundTx {
  readonly position: number;
  readonly bytes: Uint8Array;
}

/** Results of a job in a few arrays, because messages of many small objects cost the receiver more than the scan. */
export interface ScanResult {
  readonly version: typeof SCAN_MESSAGE_VERSION;
  /**
   * Number of transactions found per block, in order; -1 for a block that could not be read. Possibly for fewer blocks
   * than requested.
   */
  readonly counts: Int32Array;
  /** Per transaction, in order: its position in its block, and the end of its bytes. */
  readonly positions: Uint32Array;
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
  /** Number of blocks that were skipped because of their filters. */
  readonly skipped: number;
}

/** Returns the transactions found in each block, as views of the result; null for a block that could not be read. */
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

/** Returns the scan function of one thread. */
export function createScanRunner(hashes: Hashes, nowMs: () => number): (job: ScanJob) => ScanResult {
  const records = new SyncRecords(hashes, OPEN_FILES);

  /** Returns an array with 1 for transactions (by position) whose inputs spend a marked script. */
  const spenders = (job: ScanJob, block: BlockToScan, prevHash: Uint8Array, count: number, marks: ScriptMarks): Uint8Array => {
    const hit = new Uint8Array(count);
    if (block.undoPos < 0) return hit;
    markSpenders(records.readUndo(job.folder, { file: block.file, pos: block.undoPos }, prevHash), marks, hit);
    return hit;
  };

  const scan = (job: ScanJob, block: BlockToScan, marks: ScriptMarks): FoundTx[] => {
    const bytes = records.readBlock(job.folder, block, block.hash, null) as Uint8Array;
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
        if (!(error instanceof DecodeError) && !(error instanceof StoreError)) throw error;
        blocks.push(null);
      }
      if (nowMs() - started > BUDGET_MS) break;
    }
    return packFinds(blocks, skipped);
  };
}

/**
 * Reads undo data (storage/codec/undo.ts) without decoding scripts.
 * @param hit set to 1 at positions of transactions that spend a marked script
 * @throws DecodeError
 */
export function markSpenders(undo: Uint8Array, marks: ScriptMarks, hit: Uint8Array): void {
  const reader = new ByteReader(undo);
  const count = reader.compactSize();
  if (count >= Math.max(hit.length, 1)) throw new DecodeError('undo data of more transactions than the block has');
  for (let position = 1; position <= count; position++) {
    for (let inputs = reader.compactSize(); inputs > 0; inputs--) {
      // The height of a coin with its coinbase bit. Core writes a zero varint after every code above 1.
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
