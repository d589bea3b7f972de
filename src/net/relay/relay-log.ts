// Log of the ids of transactions to announce, shared by all peers, in order of arrival. Each peer holds a position in
// it. Stored outside the V8 heap, 64 bytes per transaction.
import type { Txid, Wtxid } from '../../consensus/ids.js';

const HASH = 32;
const ROW = 2 * HASH;
/** Rows that are allocated and freed together. */
const SEGMENT_ROWS = 1_024;

export class RelayLog {
  readonly #most: number;
  readonly #segments: Uint8Array[] = [];
  #begin = 0;
  #end = 0;

  /** @param most rows kept, rounded up to a segment */
  constructor(most: number) {
    this.#most = most;
  }

  /** First position that is stored. */
  get begin(): number {
    return this.#begin;
  }
  /** Position of the next row. */
  get end(): number {
    return this.#end;
  }

  /** @param needed returns the lowest position that is still to be read; called once per segment */
  append(txid: Txid, wtxid: Wtxid, needed: () => number): void {
    const row = this.#end % SEGMENT_ROWS;
    if (row === 0) {
      this.#forgetBelow(Math.max(needed(), this.#end - this.#most));
      this.#segments.push(new Uint8Array(SEGMENT_ROWS * ROW));
    }
    const segment = this.#segments.at(-1)!;
    segment.set(txid, row * ROW);
    segment.set(wtxid, row * ROW + HASH);
    this.#end++;
  }

  /** Returns a view of an id, which never changes. @param at from begin to end */
  read(at: number, byWtxid: boolean): Uint8Array {
    const from = (at % SEGMENT_ROWS) * ROW + (byWtxid ? HASH : 0);
    return this.#segments[Math.floor((at - this.#begin) / SEGMENT_ROWS)]!.subarray(from, from + HASH);
  }

  #forgetBelow(at: number): void {
    const count = Math.floor((at - this.#begin) / SEGMENT_ROWS);
    this.#segments.splice(0, count);
    this.#begin += count * SEGMENT_ROWS;
  }
}
