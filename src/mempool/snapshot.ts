// The mempool at one moment, for work that takes the node thread longer than one time slice: getdescriptoractivity,
// mempool.dat. The rows are held, so transactions that leave later can still be read. The caller must release the
// snapshot.
import type { MempoolEntry } from './entry.js';
import type { TxPool } from './tx-pool.js';

/** Sorts the rows of the mempool by sortedRows() (order.ts), on this thread or another. */
export type RowSorter = (pool: TxPool) => Int32Array | Promise<Int32Array>;

export class PoolSnapshot implements Iterable<MempoolEntry> {
  readonly #pool: TxPool;
  #rows: Int32Array;
  #held = true;

  private constructor(pool: TxPool) {
    this.#pool = pool;
    this.#rows = pool.rows.here();
    for (const row of this.#rows) pool.records.hold(row);
  }

  /** Creates a snapshot of all current entries in the sorter's order. */
  static async takeSorted(pool: TxPool, sort: RowSorter): Promise<PoolSnapshot> {
    const snapshot = new PoolSnapshot(pool);
    try {
      snapshot.#rows = await sort(pool);
    } catch (error) {
      snapshot.release();
      throw error;
    }
    return snapshot;
  }

  get length(): number {
    return this.#rows.length;
  }

  /**
   * Returns a view of a row, which must be read before the release. Relatives and sums in the view are the current
   * ones, not those of the snapshot.
   */
  at(i: number): MempoolEntry {
    return this.#pool.records.entry(this.#rows[i]);
  }

  *[Symbol.iterator](): Iterator<MempoolEntry> {
    for (const row of this.#rows) yield this.#pool.records.entry(row);
  }

  /** Releases the rows. Calling it again does nothing. */
  release(): void {
    if (!this.#held) return;
    this.#held = false;
    for (const row of this.#rows) this.#pool.records.release(row);
    this.#rows = new Int32Array(0);
  }
}
