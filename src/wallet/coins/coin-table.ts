// Table of the wallet's outputs, spent and unspent, as columns. Each coin is in one bucket, and the table maintains a
// sum per bucket and ownership. So a balance is read, not computed.

import type { TableImage } from '../image/table-image.js';
import { OWNERSHIP, type Ownership } from '../keys/ownership.js';
import { ByteTable, grown } from '../tables/byte-table.js';

const SCRIPT_AT = 9;
const scratch = new Uint8Array(8);
const view = new DataView(scratch.buffer);

export function encodeCoinRow(value: number, ownership: Ownership, script: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(SCRIPT_AT + script.length);
  view.setFloat64(0, value, true);
  bytes[0] = ownership;
  bytes.set(scratch, 1);
  bytes.set(script, SCRIPT_AT);
  return bytes;
}

/** Decodes a row. @returns the script as a view; null if the row is too short */
export function decodeCoinRow(bytes: Uint8Array): { value: number; ownership: Ownership; script: Uint8Array } | null {
  if (bytes.length < SCRIPT_AT || bytes[0] > 2) return null;
  for (let i = 0; i < 8; i++) scratch[i] = bytes[1 + i];
  return { value: view.getFloat64(0, true), ownership: bytes[0] as Ownership, script: bytes.subarray(SCRIPT_AT) };
}

/**
 * Category of a coin in balances. NONE: spent, or its transaction is conflicted or abandoned. PENDING: unconfirmed;
 * reading a balance decides whether the coin is trusted.
 */
export const BUCKET = { NONE: 0, CONFIRMED: 1, IMMATURE: 2, PENDING: 3 } as const;
export type Bucket = (typeof BUCKET)[keyof typeof BUCKET];
const BUCKETS = 4;
const END = -1;

export class CoinTable {
  readonly #outpoints = new ByteTable();
  /** Output scripts, each stored once. Linked lists connect the coins of a script, and the coins of a transaction. */
  readonly #scripts = new ByteTable();
  #scriptHeads = new Int32Array(32);
  #scriptNext = new Int32Array(32);
  #txHeads = new Int32Array(32);
  #txNext = new Int32Array(32);
  #txRows = new Int32Array(32);
  #vouts = new Uint32Array(32);
  #values = new Float64Array(32);
  #ownership = new Uint8Array(32);
  #scriptIds = new Int32Array(32);
  #buckets = new Uint8Array(32);
  /** Rows of each bucket, and the position of each row in its list. */
  readonly #members: Int32Array[] = Array.from({ length: BUCKETS }, () => new Int32Array(32));
  readonly #counts = [0, 0, 0, 0];
  #memberAt = new Int32Array(32);
  #sums = new Float64Array(BUCKETS * 3);

  get size(): number {
    return this.#outpoints.size;
  }
  /** Finds the row of an output. @param outpoint 36 bytes @returns -1 if it is not an output of the wallet */
  find(outpoint: Uint8Array): number {
    return this.#outpoints.find(outpoint);
  }
  outpoint(row: number): Uint8Array {
    return new Uint8Array(this.#outpoints.key(row));
  }
  /** Returns the outpoint as a view, valid until the next addition. */
  outpointView(row: number): Uint8Array {
    return this.#outpoints.key(row);
  }
  txRow(row: number): number {
    return this.#txRows[row];
  }
  vout(row: number): number {
    return this.#vouts[row];
  }
  /** Returns the value of a coin, satoshis. */
  value(row: number): number {
    return this.#values[row];
  }
  ownership(row: number): Ownership {
    return this.#ownership[row] as Ownership;
  }
  script(row: number): Uint8Array {
    return this.#scripts.key(this.#scriptIds[row]);
  }
  /** Returns the number of the coin's script: from 0 without gaps, equal for all coins of a script. */
  scriptId(row: number): number {
    return this.#scriptIds[row];
  }
  /** Returns the coins of a transaction in the order of its outputs. */
  ofTx(txRow: number): number[] {
    const found: number[] = [];
    if (txRow < this.#txHeads.length) for (let row = this.#txHeads[txRow] - 1; row !== END; row = this.#txNext[row]) found.push(row);
    return found.length < 2 ? found : found.sort((a, b) => this.#vouts[a] - this.#vouts[b]);
  }
  /** Yields the coins of an output script, the newest row first. */
  *ofScript(script: Uint8Array): Generator<number> {
    const id = this.#scripts.find(script);
    if (id >= 0) for (let row = this.#scriptHeads[id]; row !== END; row = this.#scriptNext[row]) yield row;
  }
  bucket(row: number): Bucket {
    return this.#buckets[row] as Bucket;
  }
  /** Returns whether a row is still a coin of the wallet. */
  isLive(row: number): boolean {
    return this.#outpoints.isLive(row);
  }
  rows(): Generator<number> {
    return this.#outpoints.liveRows();
  }
  countOf(bucket: Bucket): number {
    return this.#counts[bucket];
  }
  /** Returns a copy of the rows of a bucket, in no particular order. */
  inBucket(bucket: Bucket): Int32Array {
    return this.#members[bucket].slice(0, this.#counts[bucket]);
  }
  /** Returns the sum of a bucket for one class of ownership, satoshis. */
  sum(bucket: Bucket, ownership: Ownership): number {
    return this.#sums[bucket * 3 + ownership];
  }

  add(outpoint: Uint8Array, coin: { txRow: number; vout: number; value: number; ownership: Ownership; script: Uint8Array }): number {
    const before = this.#outpoints.rows;
    const row = this.#outpoints.add(outpoint);
    if (row < before) {
      this.setOwnership(row, coin.ownership);
      return row;
    }
    this.#txRows = grown(this.#txRows, row);
    this.#vouts = grown(this.#vouts, row);
    this.#values = grown(this.#values, row);
    this.#ownership = grown(this.#ownership, row);
    this.#scriptIds = grown(this.#scriptIds, row);
    this.#buckets = grown(this.#buckets, row);
    this.#memberAt = grown(this.#memberAt, row);
    this.#txRows[row] = coin.txRow;
    this.#vouts[row] = coin.vout;
    this.#values[row] = coin.value;
    this.#ownership[row] = coin.ownership;
    this.#buckets[row] = BUCKET.NONE;
    this.#chain(row, coin.script);
    return row;
  }
  /** Saves the table and its sums to an image, or restores them from one. */
  transferImage(at: TableImage): void {
    this.#outpoints.transferImage(at);
    this.#scripts.transferImage(at);
    const { rows } = this.#outpoints;
    const scripts = this.#scripts.rows;
    const txs = at.number(this.#txHeads.length);
    this.#scriptHeads = at.column(this.#scriptHeads, scripts);
    this.#scriptNext = at.column(this.#scriptNext, rows);
    this.#txHeads = at.column(this.#txHeads, txs);
    this.#txNext = at.column(this.#txNext, rows);
    this.#txRows = at.column(this.#txRows, rows);
    this.#vouts = at.column(this.#vouts, rows);
    this.#values = at.column(this.#values, rows);
    this.#ownership = at.column(this.#ownership, rows);
    this.#scriptIds = at.column(this.#scriptIds, rows);
    this.#buckets = at.column(this.#buckets, rows);
    this.#memberAt = at.column(this.#memberAt, rows);
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      this.#counts[bucket] = at.number(this.#counts[bucket]);
      this.#members[bucket] = at.column(this.#members[bucket], this.#counts[bucket]);
    }
    this.#sums = at.column(this.#sums, this.#sums.length).subarray(0, BUCKETS * 3);
  }
  remove(outpoint: Uint8Array): void {
    const row = this.#outpoints.find(outpoint);
    if (row < 0) return;
    this.setBucket(row, BUCKET.NONE);
    this.#unchain(row);
    this.#outpoints.remove(outpoint);
  }
  #chain(row: number, script: Uint8Array): void {
    const scripts = this.#scripts.rows;
    const id = this.#scripts.add(script);
    this.#scriptHeads = grown(this.#scriptHeads, id);
    if (id >= scripts) this.#scriptHeads[id] = END;
    this.#scriptIds[row] = id;
    this.#scriptNext = grown(this.#scriptNext, row);
    this.#scriptNext[row] = this.#scriptHeads[id];
    this.#scriptHeads[id] = row;
    const txRow = this.#txRows[row];
    this.#txHeads = grown(this.#txHeads, txRow);
    this.#txNext = grown(this.#txNext, row);
    // Heads of lists are stored as row + 1, so that 0, the value of new elements, means an empty list.
    this.#txNext[row] = this.#txHeads[txRow] - 1;
    this.#txHeads[txRow] = row + 1;
  }
  #unchain(row: number): void {
    const id = this.#scriptIds[row];
    if (this.#scriptHeads[id] === row) this.#scriptHeads[id] = this.#scriptNext[row];
    else {
      let before = this.#scriptHeads[id];
      while (this.#scriptNext[before] !== row) before = this.#scriptNext[before];
      this.#scriptNext[before] = this.#scriptNext[row];
    }
    const txRow = this.#txRows[row];
    if (this.#txHeads[txRow] === row + 1) this.#txHeads[txRow] = this.#txNext[row] + 1;
    else {
      let before = this.#txHeads[txRow] - 1;
      while (this.#txNext[before] !== row) before = this.#txNext[before];
      this.#txNext[before] = this.#txNext[row];
    }
  }
  setOwnership(row: number, ownership: Ownership): void {
    if (this.#ownership[row] === ownership) return;
    const bucket = this.bucket(row);
    this.setBucket(row, BUCKET.NONE);
    this.#ownership[row] = ownership;
    this.setBucket(row, bucket);
  }
  setBucket(row: number, bucket: Bucket): void {
    const old = this.#buckets[row];
    if (old === bucket) return;
    const ownership = this.#ownership[row];
    if (old !== BUCKET.NONE) {
      this.#sums[old * 3 + ownership] -= this.#values[row];
      const members = this.#members[old];
      const last = members[--this.#counts[old]];
      members[this.#memberAt[row]] = last;
      this.#memberAt[last] = this.#memberAt[row];
    }
    this.#buckets[row] = bucket;
    if (bucket === BUCKET.NONE) return;
    this.#sums[bucket * 3 + ownership] += this.#values[row];
    this.#members[bucket] = grown(this.#members[bucket], this.#counts[bucket]);
    this.#members[bucket][this.#counts[bucket]] = row;
    this.#memberAt[row] = this.#counts[bucket]++;
  }
}

/** Returns whether a class of ownership passes a filter. */
export const matchesFilter = (ownership: Ownership, filter: number): boolean => ownership !== OWNERSHIP.NO && (ownership & filter) !== 0;
