// The witness stack of an input, for readers that want a few items: a block may carry millions, and a view of each costs
// a hundred times its byte. Used by tx-view.ts.
import { ByteReader } from '../bytes/reader.js';

/** Items, bottom first: what script checks read of a list, which an array does as well. */
export interface WitnessStack {
  readonly length: number;
  /** From the end when negative; undefined when there is none. */
  at(index: number): Uint8Array | undefined;
  /** Items start..end-1, by default all; from the end when negative. */
  slice(start?: number, end?: number): Uint8Array[];
}

/** A stack of more has no views but of what is asked for. No script runs with so many. */
export const MOST_WITNESS_VIEWS = 1_100;

/** A stack that is read from its bytes each time, from the first item to the last one wanted. */
export class LongWitness implements WitnessStack {
  readonly length: number;
  readonly #bytes: Uint8Array;
  readonly #at: number;
  readonly #end: number;

  /** @param at where the number of items stands, which were read once: they are there @param end of the transaction */
  constructor(bytes: Uint8Array, at: number, end: number) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
    this.length = new ByteReader(bytes, at, end).compactSize();
  }

  at(index: number): Uint8Array | undefined {
    const first = index < 0 ? this.length + index : index;
    return first < 0 ? undefined : this.slice(first, first + 1)[0];
  }

  slice(start = 0, end = this.length): Uint8Array[] {
    const from = start < 0 ? Math.max(0, this.length + start) : start;
    const to = Math.min(end < 0 ? this.length + end : end, this.length);
    const items: Uint8Array[] = [];
    if (from >= to) return items;
    const reader = new ByteReader(this.#bytes, this.#at, this.#end);
    reader.compactSize();
    for (let k = 0; k < from; k++) reader.skip(reader.compactSize());
    for (let k = from; k < to; k++) items.push(reader.varBytes());
    return items;
  }
}
