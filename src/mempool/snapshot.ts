// The mempool at one moment, for lists that take the node thread longer than one time slice to write: getrawmempool,
// mempool.dat. The rows are held, so transactions that leave later can still be read. The caller must release the
// snapshot. Sorting works in time slices.
import { Slicer } from '../lib/slicer.js';
import { adjustedWeightOf } from '../selection/cluster/cluster-index.js';
import { compareFeeFractions } from '../selection/cluster/fee-fraction.js';
import type { MempoolEntry } from './entry.js';
import { chunksOfCluster, type PoolChunk } from './feerate-diagram.js';
import type { TxPool } from './tx-pool.js';

/** Number of rows sorted without a pause, which takes less than a time slice. */
const RUN = 512;

/**
 * Number of rows measured between two checks of the clock. Measuring one cluster may take some tenths of a millisecond.
 */
const STEP = 8;

/** A sort order of held rows, which are named by their positions in a list. */
interface Order {
  /** Reads the values by which row i is compared. Called before `compare`. */
  measure(i: number): void;
  compare(a: number, b: number): number;
}

/**
 * Core 0.21's order. Ancestor counts may change during the sort, so they are copied first. Fees and sizes of held rows
 * do not change.
 */
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
    return left === right ? this.#pool.records.compareIds(this.#rows[b], this.#rows[a]) : right - left;
  }
}

/**
 * Order of Core's master (CompareMainTransactions): chunks by falling fee rate. If rates are equal, the chunk with the
 * smaller `alike` (see PoolChunk) comes first, then the chunk whose highest txid is lower.
 */
class ChunkOrder implements Order {
  readonly #pool: TxPool;
  readonly #rows: Int32Array;
  /** Positions in the list by row. */
  readonly #places: Int32Array;
  /** Figures of the chunk of each row in the list. Size 0 means that the chunk was not measured yet. */
  readonly #fees: Float64Array;
  readonly #sizes: Float64Array;
  readonly #alike: Float64Array;
  readonly #last: Int32Array;
  /** Position inside the chunk. */
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
    // Transactions that arrived during a pause are in the cluster but not in the list.
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
    return this.#pool.records.compareIds(this.#rows[a], this.#rows[b]);
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
    for (const row of rows) pool.records.hold(row);
  }

  /** Creates a snapshot of these rows in this order. */
  static of(pool: TxPool, rows: Int32Array): PoolSnapshot {
    return new PoolSnapshot(pool, rows);
  }

  /**
   * Creates a snapshot of all current entries in getrawmempool's order: fewer ancestors first, then the higher base fee
   * rate, then the larger txid; or, since release 31, block order.
   * @param byChunks use block order, which may reflect changes during pauses
   * @param yieldToUrgent see Slicer
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

  /** Merge sort in slices. */
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
