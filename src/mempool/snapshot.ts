// The pool as it was at one moment, for lists that take longer to write than a step of the node's thread may:
// getrawmempool, mempool.dat. Rows are held, so what leaves meanwhile can still be read; the caller that takes a
// snapshot releases it. Sorting pauses like all long work.
import { Slicer } from '../lib/slicer.js';
import { adjustedWeightOf } from '../selection/cluster/cluster-index.js';
import { compareFeeFractions } from '../selection/cluster/fee-fraction.js';
import type { MempoolEntry } from './entry.js';
import { chunksOfCluster, type PoolChunk } from './feerate-diagram.js';
import type { TxPool } from './tx-pool.js';

/** Sorted in one go, below the time of a slice. */
const RUN = 512;

/** Measured in one go: a cluster may take some tenths of a millisecond. */
const STEP = 8;

/** An order of rows that are held, by their places in a list. */
interface Order {
  /** Reads what row i is compared by; before it is. */
  measure(i: number): void;
  compare(a: number, b: number): number;
}

/** Of Core 0.21. Depths may change and are copied at once; fees and sizes of rows that are held stay. */
class DepthOrder implements Order {
  readonly #pool: TxPool;
  readonly #rows: Int32Array;
  readonly #depths: Int32Array;
  readonly #fees: Float64Array;
  readonly #sizes: Float64Array;

  constructor(pool: TxPool, rows: Int32Array) {
    this.#pool = pool;
    this.#rows = rows;
    this.#depths = rows.map((row) => pool.rows.ancestorCount[row]);
    this.#fees = new Float64Array(rows.length);
    this.#sizes = new Float64Array(rows.length);
  }

  measure(i: number): void {
    this.#fees[i] = this.#pool.rows.fee[this.#rows[i]];
    this.#sizes[i] = this.#pool.rows.size[this.#rows[i]];
  }

  compare(a: number, b: number): number {
    if (this.#depths[a] !== this.#depths[b]) return this.#depths[a] - this.#depths[b];
    const left = this.#fees[a] * this.#sizes[b];
    const right = this.#fees[b] * this.#sizes[a];
    return left === right ? this.#pool.compareIds(this.#rows[b], this.#rows[a]) : right - left;
  }
}

/**
 * Of Core's master (CompareMainTransactions): chunks by falling rate; of those that pay alike the one that ends its
 * cluster's stretch of that rate sooner, then the one with the lower highest txid.
 */
class ChunkOrder implements Order {
  readonly #pool: TxPool;
  readonly #rows: Int32Array;
  /** Places by row. */
  readonly #places: Int32Array;
  /** Of the chunk; sizes are 0 before they are measured. */
  readonly #fees: Float64Array;
  readonly #sizes: Float64Array;
  readonly #alike: Float64Array;
  readonly #last: Int32Array;
  /** Inside the chunk. */
  readonly #inside: Int32Array;

  constructor(pool: TxPool, rows: Int32Array) {
    this.#pool = pool;
    this.#rows = rows;
    this.#places = new Int32Array(pool.rows.top).fill(-1);
    rows.forEach((row, i) => {
      this.#places[row] = i;
    });
    this.#fees = new Float64Array(rows.length);
    this.#sizes = new Float64Array(rows.length);
    this.#alike = new Float64Array(rows.length);
    this.#last = new Int32Array(rows.length);
    this.#inside = new Int32Array(rows.length);
  }

  measure(i: number): void {
    if (this.#sizes[i] !== 0) return;
    const { rows, links } = this.#pool;
    const row = this.#rows[i];
    if (links.hasParents(row) || links.hasChildren(row)) {
      for (const chunk of chunksOfCluster(this.#pool, row)) this.#set(chunk);
      return;
    }
    const weight = adjustedWeightOf(rows.size[row], rows.weight[row]);
    this.#set({ fee: rows.modifiedFee[row], weight, rows: [row], alike: weight });
  }

  #set({ fee, weight, rows, alike }: PoolChunk): void {
    // What came in a pause is in the cluster and not in the list.
    const listed = rows.map((row) => this.#places[row] ?? -1).filter((place) => place >= 0 && this.#sizes[place] === 0);
    const last = listed.reduce((highest, place) => (this.#byId(place, highest) > 0 ? place : highest), listed[0]);
    listed.forEach((place, inside) => {
      this.#fees[place] = fee;
      this.#sizes[place] = weight;
      this.#alike[place] = alike;
      this.#last[place] = last;
      this.#inside[place] = inside;
    });
  }

  #byId(a: number, b: number): number {
    return this.#pool.compareIds(this.#rows[a], this.#rows[b]);
  }

  compare(a: number, b: number): number {
    const rate = compareFeeFractions(this.#fees[b], this.#sizes[b], this.#fees[a], this.#sizes[a]);
    if (rate !== 0) return rate;
    if (this.#last[a] === this.#last[b]) return this.#inside[a] - this.#inside[b];
    return this.#alike[a] - this.#alike[b] || this.#byId(this.#last[a], this.#last[b]);
  }
}

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
   * txid; or, as since release 31, in the order of blocks. Taken at the call.
   * @param byChunks the order of blocks; of what changes in the pauses it may know @param yieldToUrgent see Slicer
   */
  static async takeSorted(pool: TxPool, byChunks: boolean, yieldToUrgent?: () => unknown): Promise<PoolSnapshot> {
    const rows = pool.rows.here();
    const snapshot = new PoolSnapshot(pool, rows);
    try {
      await snapshot.#sort(byChunks ? new ChunkOrder(pool, rows) : new DepthOrder(pool, rows), yieldToUrgent);
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

  /** Merges sorted runs. */
  async #sort(order: Order, yieldToUrgent?: () => unknown): Promise<void> {
    const rows = this.#rows;
    let from = new Int32Array(rows.length);
    let to = new Int32Array(rows.length);
    const compare = (a: number, b: number): number => order.compare(a, b);
    const slicer = new Slicer(yieldToUrgent);
    for (let start = 0; start < rows.length; start += RUN) {
      const end = Math.min(start + RUN, rows.length);
      for (let i = start; i < end; i++) {
        from[i] = i;
        order.measure(i);
        if ((i & (STEP - 1)) === 0 && slicer.due) await slicer.pause();
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
