// Binary heap of rows that know their positions in the heap, so that a row whose rank changed can be moved. Used for
// eviction and expiry.
import { NO_ROW, type Rows } from './rows.js';

const FIRST_CAPACITY = 1024;
/** Removing one row takes about as long as rebuilding the heap takes for this many rows. */
const MANY = 8;

/** Column with the rows' positions in a heap. */
export type HeapPlace = 'scorePlace' | 'agePlace';

/** Heap whose first row is the smallest by `before`. Each heap owns one column of positions. */
export class RowHeap {
  readonly #rows: Rows;
  readonly #before: (a: number, b: number) => boolean;
  readonly #place: HeapPlace;
  #items = new Int32Array(FIRST_CAPACITY);
  #size = 0;

  constructor(rows: Rows, place: HeapPlace, before: (a: number, b: number) => boolean) {
    this.#rows = rows;
    this.#place = place;
    this.#before = before;
  }

  /** Returns the first row; undefined if the heap is empty. */
  peek(): number | undefined {
    return this.#size === 0 ? undefined : this.#items[0];
  }

  insert(row: number): void {
    if (this.#size === this.#items.length) {
      const grown = new Int32Array(this.#size * 2);
      grown.set(this.#items);
      this.#items = grown;
    }
    this.#up(this.#size++, row);
  }

  /** Removes a row, if it is in the heap. */
  remove(row: number): void {
    const places = this.#rows[this.#place];
    const at = places[row];
    if (at < 0) return;
    const last = this.#items[--this.#size];
    if (last !== row) {
      this.#set(at, last);
      this.#restoreOrder(at, last);
    }
    places[row] = -1;
  }

  /**
   * Removes many rows from the heap, such as those of a block. Rebuilds the heap if that takes less time than the
   * single removals.
   */
  removeAll(rows: readonly number[]): void {
    if (rows.length * MANY < this.#size) {
      for (const row of rows) this.remove(row);
      return;
    }
    const places = this.#rows[this.#place];
    const items = this.#items;
    for (const row of rows) {
      items[places[row]] = NO_ROW;
      places[row] = -1;
    }
    let size = 0;
    for (let at = 0; at < this.#size; at++) if (items[at] !== NO_ROW) items[size++] = items[at];
    this.#size = size;
    for (let at = 0; at < size; at++) places[items[at]] = at;
    for (let at = (size >> 1) - 1; at >= 0; at--) this.#down(at, items[at]);
  }

  /** Moves a row whose rank has changed, if it is in the heap. */
  update(row: number): void {
    const at = this.#rows[this.#place][row];
    if (at >= 0) this.#restoreOrder(at, row);
  }

  #restoreOrder(at: number, row: number): void {
    this.#up(at, row);
    if (this.#rows[this.#place][row] === at) this.#down(at, row);
  }

  #set(at: number, row: number): void {
    this.#items[at] = row;
    this.#rows[this.#place][row] = at;
  }

  #up(start: number, row: number): void {
    let at = start;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = this.#items[parentAt];
      if (!this.#before(row, parent)) break;
      this.#set(at, parent);
      at = parentAt;
    }
    this.#set(at, row);
  }

  #down(start: number, row: number): void {
    const items = this.#items;
    let at = start;
    for (;;) {
      let childAt = 2 * at + 1;
      if (childAt >= this.#size) break;
      if (childAt + 1 < this.#size && this.#before(items[childAt + 1], items[childAt])) childAt++;
      if (!this.#before(items[childAt], row)) break;
      this.#set(at, items[childAt]);
      at = childAt;
    }
    this.#set(at, row);
  }
}
