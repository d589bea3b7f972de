// The pool as it was at one moment, for lists that take longer to write than a step of the node's thread may:
// getrawmempool, mempool.dat. Rows are held, so what leaves meanwhile can still be read; whoever takes a snapshot
// releases it. Sorting pauses like all long work.
import { Slicer } from '../lib/slicer.js';
import type { MempoolEntry } from './entry.js';
import type { TxPool } from './tx-pool.js';

/** Sorted in one go, below the time of a slice. */
const RUN = 512;

export class PoolSnapshot implements Iterable<MempoolEntry> {
  readonly #pool: TxPool;
  #rows: Int32Array;
  #held = true;

  private constructor(pool: TxPool, rows: Int32Array) {
    this.#pool = pool;
    this.#rows = rows;
    for (const row of rows) pool.hold(row);
  }

  /** These rows in this order. */
  static of(pool: TxPool, rows: Int32Array): PoolSnapshot {
    return new PoolSnapshot(pool, rows);
  }

  /**
   * All entries as getrawmempool lists them: fewer ancestors first, then the higher base fee rate, then the larger
   * txid. Taken at the call.
   * @param breathe see Slicer
   */
  static async take(pool: TxPool, breathe?: () => unknown): Promise<PoolSnapshot> {
    const snapshot = new PoolSnapshot(pool, pool.rows.here());
    try {
      await snapshot.#sort(breathe);
    } catch (error) {
      snapshot.release();
      throw error;
    }
    return snapshot;
  }

  get length(): number {
    return this.#rows.length;
  }

  /** A view, to be read before the release. Its relatives and sums are those of now. */
  at(i: number): MempoolEntry {
    return this.#pool.entry(this.#rows[i]);
  }

  *[Symbol.iterator](): Iterator<MempoolEntry> {
    for (const row of this.#rows) yield this.#pool.entry(row);
  }

  /** Once more does nothing. */
  release(): void {
    if (!this.#held) return;
    this.#held = false;
    for (const row of this.#rows) this.#pool.release(row);
    this.#rows = new Int32Array(0);
  }

  /**
   * Merges sorted runs. Depths may change and are copied before the first pause; fees and sizes of rows that are held
   * stay.
   */
  async #sort(breathe?: () => unknown): Promise<void> {
    const rows = this.#rows;
    const depths = new Int32Array(rows.length);
    const { ancestorCount } = this.#pool.rows;
    for (let i = 0; i < rows.length; i++) depths[i] = ancestorCount[rows[i]];
    const fees = new Float64Array(rows.length);
    const sizes = new Float64Array(rows.length);
    let from = new Int32Array(rows.length);
    let to = new Int32Array(rows.length);
    const compare = (a: number, b: number): number => {
      if (depths[a] !== depths[b]) return depths[a] - depths[b];
      const left = fees[a] * sizes[b];
      const right = fees[b] * sizes[a];
      return left === right ? this.#pool.compareIds(rows[b], rows[a]) : right - left;
    };
    const slicer = new Slicer(breathe);
    for (let start = 0; start < rows.length; start += RUN) {
      const { fee, size } = this.#pool.rows;
      const end = Math.min(start + RUN, rows.length);
      for (let i = start; i < end; i++) {
        from[i] = i;
        fees[i] = fee[rows[i]];
        sizes[i] = size[rows[i]];
      }
      from.subarray(start, end).sort(compare);
      if (slicer.due) await slicer.pause();
    }
    for (let width = RUN; width < rows.length; width *= 2) {
      for (let start = 0; start < rows.length; start += 2 * width) {
        const middle = Math.min(start + width, rows.length);
        const end = Math.min(start + 2 * width, rows.length);
        for (let at = start, a = start, b = middle; at < end; at++) {
          const first = b === end || (a < middle && compare(from[a], from[b]) <= 0);
          to[at] = from[first ? a++ : b++];
          if ((at & (RUN - 1)) === 0 && slicer.due) await slicer.pause();
        }
      }
      [from, to] = [to, from];
    }
    for (let i = 0; i < rows.length; i++) to[i] = rows[from[i]];
    this.#rows = to;
  }
}
