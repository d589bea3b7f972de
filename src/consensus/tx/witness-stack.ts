// The witness stack of an input, for callers that need only a few items. A block may have millions of items, and a view
// of an item uses a hundred times the memory of the item.
import { ByteReader } from '../bytes/reader.js';

/** Witness items, bottom first. The interface has those methods of arrays that script checks need. */
export interface WitnessStack {
  readonly length: number;
  /** Returns an item, counted from the end if negative; undefined if there is none. */
  at(index: number): Uint8Array | undefined;
  /** Returns the items from start to end - 1, all by default; counted from the end if negative. */
  slice(start?: number, end?: number): Uint8Array[];
}

/** Number of items above which views are created only for requested items. A script with so many items always fails. */
export const MOST_WITNESS_VIEWS = 1_100;

/** A stack that is not parsed in advance. Each access reads the bytes from the first item to the last requested one. */
export class LongWitness implements WitnessStack {
  readonly length: number;
  readonly #bytes: Uint8Array;
  readonly #at: number;
  readonly #end: number;

  /**
   * Creates a stack.
   * @param at offset of the number of items. The items were parsed before, so they are complete
   * @param end end of the transaction
   */
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
