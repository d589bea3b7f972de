// Names of the transactions that are to be announced, once for all peers, in the order in which they came: a peer that
// is told slowly holds a position in it. Off the V8 heap, 64 bytes each.

const HASH = 32;
const ROW = 2 * HASH;
/** Rows that come and go together. */
const SEGMENT_ROWS = 1_024;

export class RelayLog {
  readonly #most: number;
  readonly #segments: Uint8Array[] = [];
  #begin = 0;
  #end = 0;

  /** @param most rows kept, apart from the rest of a segment */
  constructor(most: number) {
    this.#most = most;
  }

  /** First position that is kept. */
  get begin(): number {
    return this.#begin;
  }
  /** Position of the next row. */
  get end(): number {
    return this.#end;
  }

  /** @param needed asked now and then: the lowest position that is still to be read */
  append(txid: Uint8Array, wtxid: Uint8Array, needed: () => number): void {
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

  /** Where it lies; never changed. @param at from begin to end */
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
