// A binary heap whose items know their place, so that one whose rank changed can be moved. Used by the pool for eviction and expiry.
import type { MempoolEntry } from './entry.js';

/** The field in which an entry keeps its place in a heap. */
export type HeapPlace = 'scorePlace' | 'agePlace';

/** Smallest entry first by `before`. Each heap owns one field of the entries. */
export class IndexedHeap {
  readonly #items: MempoolEntry[] = [];
  readonly #before: (a: MempoolEntry, b: MempoolEntry) => boolean;
  readonly #place: HeapPlace;

  constructor(place: HeapPlace, before: (a: MempoolEntry, b: MempoolEntry) => boolean) {
    this.#place = place;
    this.#before = before;
  }

  peek(): MempoolEntry | undefined {
    return this.#items[0];
  }

  insert(entry: MempoolEntry): void {
    this.#items.push(entry);
    this.#up(this.#items.length - 1, entry);
  }

  remove(entry: MempoolEntry): void {
    const at = entry[this.#place];
    const last = this.#items.pop() as MempoolEntry;
    if (last !== entry) {
      this.#set(at, last);
      this.#settle(at, last);
    }
    entry[this.#place] = -1;
  }

  /** The entry's rank changed. */
  update(entry: MempoolEntry): void {
    const at = entry[this.#place];
    if (at >= 0) this.#settle(at, entry);
  }

  #settle(at: number, entry: MempoolEntry): void {
    this.#up(at, entry);
    if (entry[this.#place] === at) this.#down(at, entry);
  }

  #set(at: number, entry: MempoolEntry): void {
    this.#items[at] = entry;
    entry[this.#place] = at;
  }

  #up(start: number, entry: MempoolEntry): void {
    let at = start;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = this.#items[parentAt];
      if (!this.#before(entry, parent)) break;
      this.#set(at, parent);
      at = parentAt;
    }
    this.#set(at, entry);
  }

  #down(start: number, entry: MempoolEntry): void {
    let at = start;
    for (;;) {
      let childAt = 2 * at + 1;
      if (childAt >= this.#items.length) break;
      if (childAt + 1 < this.#items.length && this.#before(this.#items[childAt + 1], this.#items[childAt])) childAt++;
      if (!this.#before(this.#items[childAt], entry)) break;
      this.#set(at, this.#items[childAt]);
      at = childAt;
    }
    this.#set(at, entry);
  }
}
