// Index of the wallet's transactions that spend an outpoint, in any state (Core's mapTxSpends). Each outpoint is the
// head of a linked list of transaction rows.
import { type TableImage, transferSet } from '../image/table-image.js';
import { ByteTable, grown } from '../tables/byte-table.js';

const END = -1;

export class SpendTable {
  readonly #outpoints = new ByteTable();
  #heads = new Int32Array(32);
  #next = new Int32Array(32);
  #rows = new Int32Array(32);
  #count = 0;
  /** Rows of transactions that spend an outpoint which another transaction in the table also spends. */
  readonly #conflicting = new Set<number>();

  /** Adds a spend. @param outpoint 36 bytes @param row row of the spending transaction */
  add(outpoint: Uint8Array, row: number): void {
    const before = this.#outpoints.rows;
    const at = this.#outpoints.add(outpoint);
    this.#heads = grown(this.#heads, at);
    if (at >= before) this.#heads[at] = END;
    for (let node = this.#heads[at]; node !== END; node = this.#next[node]) if (this.#rows[node] === row) return;
    for (let node = this.#heads[at]; node !== END; node = this.#next[node]) this.#conflicting.add(this.#rows[node]).add(row);
    const node = this.#count++;
    this.#next = grown(this.#next, node);
    this.#rows = grown(this.#rows, node);
    this.#rows[node] = row;
    this.#next[node] = this.#heads[at];
    this.#heads[at] = node;
  }
  /** Saves the table to an image, or restores it from one. */
  transferImage(at: TableImage): void {
    this.#outpoints.transferImage(at);
    this.#count = at.number(this.#count);
    this.#heads = at.column(this.#heads, this.#outpoints.rows);
    this.#next = at.column(this.#next, this.#count);
    this.#rows = at.column(this.#rows, this.#count);
    transferSet(at, this.#conflicting);
  }
  remove(outpoint: Uint8Array, row: number): void {
    const at = this.#outpoints.find(outpoint);
    if (at < 0) return;
    let before = END;
    for (let node = this.#heads[at]; node !== END; node = this.#next[node]) {
      if (this.#rows[node] === row) {
        if (before === END) this.#heads[at] = this.#next[node];
        else this.#next[before] = this.#next[node];
        return;
      }
      before = node;
    }
  }
  /**
   * Returns whether another transaction spends an outpoint that this transaction spends. True also if the other one was
   * removed since.
   */
  hasConflicts(row: number): boolean {
    return this.#conflicting.has(row);
  }
  /** Returns the rows of transactions that spend the outpoint. */
  spenders(outpoint: Uint8Array): number[] {
    const at = this.#outpoints.find(outpoint);
    const found: number[] = [];
    if (at < 0) return found;
    for (let node = this.#heads[at]; node !== END; node = this.#next[node]) found.push(this.#rows[node]);
    return found;
  }
  /** Visits the rows of transactions that spend the outpoint. */
  forEach(outpoint: Uint8Array, visit: (row: number) => void): void {
    const at = this.#outpoints.find(outpoint);
    if (at < 0) return;
    for (let node = this.#heads[at]; node !== END; node = this.#next[node]) visit(this.#rows[node]);
  }
  /**
   * Returns whether a transaction of the wallet ever spent the outpoint. Most inputs of a block need only this check.
   */
  has(outpoint: Uint8Array): boolean {
    return this.#outpoints.has(outpoint);
  }
}
