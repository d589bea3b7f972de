// Computes ids of a block's transactions, and subtrees of its merkle trees, by ranges: the message, its result, and the
// function that runs on a worker thread (workers/verify.ts). The transactions are in one shared buffer, with numbers in
// the machine's own byte order:
//
//   places  count x PLACE_WORDS x int32: start, body, end of the body, end (consensus/tx/tx-view.ts); zeros where the
//           ids are known
//   ids     count x 64 bytes: txid, wtxid; written with the buffer where they are known, else by the jobs
//   bytes   the transactions whose ids are not known

import type { BlockRoots, MerkleResult } from '../consensus/block/block-view.js';
import { foldLevels } from '../consensus/block/merkle.js';
import { hashStripped, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';

/** Incremented whenever a field of HashJob, or the buffer's layout, changes its meaning. */
export const HASH_MESSAGE_VERSION = 1;

const PLACE_WORDS = 4;
const HASH_BYTES = 32;
const HASH_WORDS = HASH_BYTES / 4;
const IDS_BYTES = 2 * HASH_BYTES;

/** A range of transactions: their number is a power of two and they begin at a multiple of it, or they are the last ones. */
export interface HashJob {
  readonly version: typeof HASH_MESSAGE_VERSION;
  readonly buffer: SharedArrayBuffer;
  /** Number of transactions in the buffer. */
  readonly count: number;
  readonly first: number;
  readonly end: number;
  /** Height of the range's subtrees. */
  readonly levels: number;
}

/** Top hashes of a range's subtrees. */
export interface HashJobResult extends BlockRoots {
  readonly version: typeof HASH_MESSAGE_VERSION;
  readonly first: number;
}

const idsAt = (count: number): number => count * PLACE_WORDS * 4;

/** Returns the size of a buffer for these transactions. */
export function hashBufferSize(txs: readonly TxView[]): number {
  const bytes = txs.reduce((sum, tx) => (tx.identified ? sum : sum + tx.totalSize), 0);
  return idsAt(txs.length) + txs.length * IDS_BYTES + bytes;
}

/** Writes the transactions into a buffer, whatever it contained. */
export function writeHashBuffer(buffer: SharedArrayBuffer, txs: readonly TxView[]): void {
  const places = new Int32Array(buffer, 0, txs.length * PLACE_WORDS);
  const bytes = new Uint8Array(buffer);
  const ids = idsAt(txs.length);
  let at = ids + txs.length * IDS_BYTES;
  for (let i = 0; i < txs.length; i++) {
    const tx = txs[i] as TxView;
    const row = i * PLACE_WORDS;
    if (tx.identified) {
      places.fill(0, row, row + PLACE_WORDS);
      bytes.set(tx.txid, ids + i * IDS_BYTES);
      bytes.set(tx.wtxid, ids + i * IDS_BYTES + HASH_BYTES);
      continue;
    }
    const moved = at - tx.start;
    const { start, end } = tx.body;
    places[row] = at;
    places[row + 1] = start + moved;
    places[row + 2] = end + moved;
    places[row + 3] = tx.end + moved;
    bytes.set(tx.bytes, at);
    at += tx.totalSize;
  }
}

/** Passes the ids that the jobs computed to the transactions. */
export function adoptIds(buffer: SharedArrayBuffer, txs: readonly TxView[]): void {
  const bytes = new Uint8Array(buffer, idsAt(txs.length), txs.length * IDS_BYTES);
  for (let i = 0; i < txs.length; i++) {
    const tx = txs[i] as TxView;
    if (tx.identified) continue;
    const at = i * IDS_BYTES;
    const txid = copyOf(bytes, at);
    tx.adopt(txid, tx.hasWitness ? copyOf(bytes, at + HASH_BYTES) : txid, tx.facts);
  }
}

function copyOf(bytes: Uint8Array, at: number): Uint8Array {
  const hash = new Uint8Array(HASH_BYTES);
  for (let k = 0; k < HASH_BYTES; k++) hash[k] = bytes[at + k];
  return hash;
}

/** Computes the ids of a range and its subtrees. */
export function runHashJob({ version, buffer, count, first, end, levels }: HashJob, hashes: Hashes): HashJobResult {
  if (version !== HASH_MESSAGE_VERSION) throw new Error(`Hash message version ${version} is not ${HASH_MESSAGE_VERSION}`);
  const places = new Int32Array(buffer, 0, count * PLACE_WORDS);
  const bytes = new Uint8Array(buffer);
  // Allocate one more entry, for the hash that a level with an odd number of hashes repeats.
  const txids = new Uint8Array((end - first + 1) * HASH_BYTES);
  const wtxids = new Uint8Array(txids.length);
  const words = new Int32Array(buffer, 0, (idsAt(count) + count * IDS_BYTES) >> 2);
  const [txidWords, wtxidWords] = [new Int32Array(txids.buffer), new Int32Array(wtxids.buffer)];
  for (let i = first; i < end; i++) {
    const row = i * PLACE_WORDS;
    const at = idsAt(count) + i * IDS_BYTES;
    if (places[row] !== 0) makeIds(bytes, at, places, row, hashes);
    // Copied by words, without views.
    for (let k = 0, from = at >> 2, leaf = (i - first) * HASH_WORDS; k < HASH_WORDS; k++) {
      txidWords[leaf + k] = words[from + k];
      if (i > 0) wtxidWords[leaf + k] = words[from + HASH_WORDS + k];
    }
  }
  const fold = (level: Uint8Array): MerkleResult => {
    const mutated = foldLevels(level, end - first, levels, hashes);
    return { root: level.slice(0, HASH_BYTES), mutated };
  };
  return { version, first, txids: fold(txids), wtxids: fold(wtxids) };
}

/** The one piece of an encoding with witnesses. */
const whole = new Int32Array(2);

function makeIds(bytes: Uint8Array, to: number, places: Int32Array, row: number, hashes: Hashes): void {
  const [start, body, bodyEnd, end] = [places[row], places[row + 1], places[row + 2], places[row + 3]] as const;
  whole[0] = start;
  whole[1] = end;
  hashes.sha256dPieces(bytes, whole, 1, bytes, to + HASH_BYTES);
  const isLegacy = bodyEnd - body + 8 === end - start;
  if (isLegacy) bytes.copyWithin(to, to + HASH_BYTES, to + IDS_BYTES);
  else hashStripped(bytes, start, body, bodyEnd, end, hashes, bytes, to);
}
