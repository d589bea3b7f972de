// Collects rows of a wallet that are written atomically, while a change of memory is made. One batch is open at a time
// per wallet.
import type { BatchOp } from '../../storage/store.js';

export class WalletBatch {
  readonly #ops: BatchOp[] = [];
  /** Rows added by putOnce: their position in the batch, and a function that returns their value. */
  #latest: Map<Uint8Array, { readonly at: number; readonly value: () => Uint8Array }> | null = null;

  /** All rows so far. For rows added by putOnce, computes the value at this moment. */
  get ops(): readonly BatchOp[] {
    for (const [key, { at, value }] of this.#latest ?? []) this.#ops[at] = { type: 'put', key, value: value() };
    return this.#ops;
  }
  put(key: Uint8Array, value: Uint8Array): void {
    this.#ops.push({ type: 'put', key, value });
  }
  /**
   * Like `put`, for a row that a change may write very often: the row occurs once in the batch, and its value is computed when the
   * batch is read.
   * @param key always the same array
   */
  putOnce(key: Uint8Array, value: () => Uint8Array): void {
    this.#latest ??= new Map();
    if (!this.#latest.has(key)) this.#latest.set(key, { at: this.#ops.push({ type: 'del', key }) - 1, value });
  }
  del(key: Uint8Array): void {
    this.#ops.push({ type: 'del', key });
  }
  /** Empties the batch. The database is not changed. */
  clear(): void {
    this.#ops.length = 0;
    this.#latest = null;
  }
}
