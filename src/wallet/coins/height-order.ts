// Keeps the rows of confirmed transactions sorted by height, so that a binary search finds all rows above a block.
// Blocks arrive in order, so an addition is normally an append. Rows that a rescan or a reorganisation adds out of
// order are merged at the next search.
import type { TableImage } from '../image/table-image.js';
import { grown } from '../tables/byte-table.js';

const HOLE = -1;

export class HeightOrder {
  #rows = new Int32Array(32);
  #heights = new Int32Array(32);
  #count = 0;
  /** Rows that were added out of order, with their heights. */
  #late: { row: number; height: number }[] = [];
  /** Lowest index with a removed row (HOLE) that is not closed yet; Infinity if there is none. */
  #holesFrom = Number.POSITIVE_INFINITY;

  add(row: number, height: number): void {
    if (this.#count > 0 && height < this.#heights[this.#count - 1]) {
      this.#late.push({ row, height });
      return;
    }
    this.#rows = grown(this.#rows, this.#count);
    this.#heights = grown(this.#heights, this.#count);
    this.#rows[this.#count] = row;
    this.#heights[this.#count++] = height;
  }
  /** Removes a row that was added with this height. */
  remove(row: number, height: number): void {
    for (let at = this.#lowerBound(height); at < this.#count && this.#heights[at] === height; at++) {
      if (this.#rows[at] !== row) continue;
      this.#rows[at] = HOLE;
      this.#holesFrom = Math.min(this.#holesFrom, at);
      while (this.#count > 0 && this.#rows[this.#count - 1] === HOLE) this.#count--;
      return;
    }
    const late = this.#late.findIndex((entry) => entry.row === row && entry.height === height);
    if (late >= 0) this.#late.splice(late, 1);
  }
  /** Returns a copy of the rows confirmed above a height, lowest first. */
  above(height: number): Int32Array {
    this.#mergePending();
    return this.#rows.slice(this.#lowerBound(height + 1), this.#count);
  }
  /** Fills an empty order with many rows. The time grows with their number and the highest height. */
  fillRows(rows: Int32Array, heightOf: (row: number) => number): void {
    const starts = new Int32Array(rows.reduce((max, row) => Math.max(max, heightOf(row)), 0) + 2);
    for (const row of rows) starts[heightOf(row) + 1]++;
    for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
    this.#rows = new Int32Array(Math.max(32, rows.length));
    this.#heights = new Int32Array(this.#rows.length);
    this.#count = rows.length;
    for (const row of rows) {
      const at = starts[heightOf(row)]++;
      this.#rows[at] = row;
      this.#heights[at] = heightOf(row);
    }
  }

  /** Saves the order to an image, or restores it from one. */
  transferImage(at: TableImage): void {
    if (!at.restoring) this.#mergePending();
    this.#count = at.number(this.#count);
    this.#rows = at.column(this.#rows, this.#count);
    this.#heights = at.column(this.#heights, this.#count);
  }

  #lowerBound(height: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#heights[middle] < height) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  #mergePending(): void {
    if (this.#late.length === 0 && this.#holesFrom >= this.#count) {
      this.#holesFrom = Number.POSITIVE_INFINITY;
      return;
    }
    const late = this.#late.sort((a, b) => a.height - b.height);
    const from = Math.min(this.#holesFrom, late.length > 0 ? this.#lowerBound(late[0].height) : this.#count);
    const rows = this.#rows.slice(from, this.#count);
    const heights = this.#heights.slice(from, this.#count);
    this.#rows = grown(this.#rows, this.#count + late.length);
    this.#heights = grown(this.#heights, this.#count + late.length);
    let to = from;
    let next = 0;
    const append = (row: number, height: number): void => {
      this.#rows[to] = row;
      this.#heights[to++] = height;
    };
    for (let i = 0; i < rows.length; i++) {
      while (next < late.length && late[next].height < heights[i]) append(late[next].row, late[next++].height);
      if (rows[i] !== HOLE) append(rows[i], heights[i]);
    }
    while (next < late.length) append(late[next].row, late[next++].height);
    this.#count = to;
    this.#late = [];
    this.#holesFrom = Number.POSITIVE_INFINITY;
  }
}
