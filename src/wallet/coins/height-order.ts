// Rows of confirmed transactions in order of height and position, so that "everything after this block" is a binary search. Blocks arrive in
// order, which is an append; what a rescan or a reorganisation disturbs is put right when somebody asks next. Caller: TxTable.
import { grown } from '../tables/byte-table.js';

/** Positions below this; a block of the largest weight holds fewer transactions. */
const POSITIONS = 2 ** 24;
const HOLE = -1;

export class HeightOrder {
  #rows = new Int32Array(32);
  #keys = new Float64Array(32);
  #count = 0;
  /** Rows that came out of order, with their keys. */
  #late: { row: number; key: number }[] = [];
  /** The lowest index with a hole; `#count` when there is none. */
  #holesFrom = Number.POSITIVE_INFINITY;

  add(row: number, height: number, position: number): void {
    const key = height * POSITIONS + position;
    if (this.#count > 0 && key < this.#keys[this.#count - 1]) {
      this.#late.push({ row, key });
      return;
    }
    this.#rows = grown(this.#rows, this.#count);
    this.#keys = grown(this.#keys, this.#count);
    this.#rows[this.#count] = row;
    this.#keys[this.#count++] = key;
  }
  /** Takes out a row that was added under this place. */
  remove(row: number, height: number, position: number): void {
    const key = height * POSITIONS + position;
    for (let at = this.#lowerBound(key); at < this.#count && this.#keys[at] === key; at++) {
      if (this.#rows[at] !== row) continue;
      this.#rows[at] = HOLE;
      this.#holesFrom = Math.min(this.#holesFrom, at);
      while (this.#count > 0 && this.#rows[this.#count - 1] === HOLE) this.#count--;
      return;
    }
    const late = this.#late.findIndex((entry) => entry.row === row && entry.key === key);
    if (late >= 0) this.#late.splice(late, 1);
  }
  /** Rows confirmed above a height, lowest first; a copy. */
  above(height: number): Int32Array {
    this.#settle();
    return this.#rows.slice(this.#lowerBound((height + 1) * POSITIONS), this.#count);
  }

  #lowerBound(key: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#keys[middle] < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  #settle(): void {
    if (this.#late.length === 0 && this.#holesFrom >= this.#count) {
      this.#holesFrom = Number.POSITIVE_INFINITY;
      return;
    }
    const late = this.#late.sort((a, b) => a.key - b.key);
    const from = Math.min(this.#holesFrom, late.length > 0 ? this.#lowerBound(late[0].key) : this.#count);
    const rows = this.#rows.slice(from, this.#count);
    const keys = this.#keys.slice(from, this.#count);
    this.#rows = grown(this.#rows, this.#count + late.length);
    this.#keys = grown(this.#keys, this.#count + late.length);
    let to = from;
    let next = 0;
    const put = (row: number, key: number): void => {
      this.#rows[to] = row;
      this.#keys[to++] = key;
    };
    for (let i = 0; i < rows.length; i++) {
      while (next < late.length && late[next].key < keys[i]) put(late[next].row, late[next++].key);
      if (rows[i] !== HOLE) put(rows[i], keys[i]);
    }
    while (next < late.length) put(late[next].row, late[next++].key);
    this.#count = to;
    this.#late = [];
    this.#holesFrom = Number.POSITIVE_INFINITY;
  }
}
