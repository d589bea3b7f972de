// Keeps all rows sorted by txid, Core's order of a wallet's transactions. Rows are loaded in that order. Newer rows are
// merged in when the order is read.
import type { TableImage } from '../image/table-image.js';
import type { ByteTable } from '../tables/byte-table.js';

export class TxidOrder {
  #sorted: Int32Array = new Int32Array(0);
  #fresh: number[] = [];
  readonly #ids: ByteTable;

  constructor(ids: ByteTable) {
    this.#ids = ids;
  }

  add(row: number): void {
    this.#fresh.push(row);
  }
  /** Fills an empty order. @param rows sorted by txid */
  fillRows(rows: Int32Array): void {
    this.#sorted = rows;
    this.#fresh = [];
  }
  /** Removes a row. Call this while the row still has its txid. */
  remove(row: number): void {
    this.#fresh = this.#fresh.filter((other) => other !== row);
    this.#sorted = this.#sorted.filter((other) => other !== row);
  }
  /** Returns every row. The caller must not change the array. The next addition of a row makes the array stale. */
  rows(): Int32Array {
    if (this.#fresh.length === 0) return this.#sorted;
    const ids = this.#ids;
    const fresh = this.#fresh.sort((a, b) => ids.compare(a, b));
    const old = this.#sorted;
    if (old.length === 0 || ids.compare(old[old.length - 1], fresh[0]) < 0) {
      const joined = new Int32Array(old.length + fresh.length);
      joined.set(old);
      joined.set(fresh, old.length);
      this.#sorted = joined;
    } else this.#sorted = this.#merged(old, fresh);
    this.#fresh = [];
    return this.#sorted;
  }
  /** Saves the order to an image, or restores it from one. */
  transferImage(at: TableImage): void {
    const rows = this.rows();
    const count = at.number(rows.length);
    this.#sorted = at.column(rows, count).subarray(0, count);
  }
  #merged(old: Int32Array, fresh: readonly number[]): Int32Array {
    const merged = new Int32Array(old.length + fresh.length);
    let from = 0;
    let to = 0;
    for (const row of fresh) {
      // Find the position of each new row by binary search, and copy the rows before it in one piece.
      let low = from;
      let high = old.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (this.#ids.compare(old[middle], row) < 0) low = middle + 1;
        else high = middle;
      }
      merged.set(old.subarray(from, low), to);
      to += low - from;
      merged[to++] = row;
      from = low;
    }
    merged.set(old.subarray(from), to);
    return merged;
  }
}
