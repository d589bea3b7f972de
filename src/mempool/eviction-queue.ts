// The rows of the mempool in the order in which they leave when it is full, and by age.
import { byAge, resetRank, worseByDescendants, worseByRank } from './eviction-order.js';
import { RowHeap } from './row-heap.js';
import type { Rows } from './rows.js';

export class EvictionQueue {
  readonly #rows: Rows;
  readonly #scores: RowHeap;
  readonly #ages: RowHeap;

  /** @param evictChunks see MempoolOptions */
  constructor(rows: Rows, evictChunks: boolean, compareIds: (a: number, b: number) => number) {
    this.#rows = rows;
    this.#scores = new RowHeap(rows, 'scorePlace', evictChunks ? worseByRank(rows, compareIds) : worseByDescendants(rows));
    this.#ages = new RowHeap(rows, 'agePlace', byAge(rows));
  }

  /** Row that is evicted first. */
  get worst(): number | undefined {
    return this.#scores.peek();
  }
  get oldest(): number | undefined {
    return this.#ages.peek();
  }

  /**
   * Sets the rank of a row to the rate of its chunk.
   * @param fee modified fees
   * @param weight sigop-adjusted
   */
  setRank(row: number, fee: number, weight: number): void {
    this.#rows.rankFee[row] = fee;
    this.#rows.rankWeight[row] = weight;
    this.#scores.update(row);
  }
  /** Resets a row's rank to its own fee rate. */
  resetRank(row: number): void {
    resetRank(this.#rows, row);
    this.#scores.update(row);
  }
  /** Called after figures of a row have changed. */
  update(row: number): void {
    this.#scores.update(row);
  }

  insert(row: number): void {
    this.#scores.insert(row);
    this.#ages.insert(row);
  }
  remove(row: number): void {
    this.#scores.remove(row);
    this.#ages.remove(row);
  }
  removeAll(rows: readonly number[]): void {
    this.#scores.removeAll(rows);
    this.#ages.removeAll(rows);
  }
}
