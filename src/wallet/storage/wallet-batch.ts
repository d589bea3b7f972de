// Rows of a wallet that belong together: collected while memory changes, written all or nothing. One is open at a time
// per wallet.
import type { BatchOp } from '../../storage/store.js';

export class WalletBatch {
  readonly #ops: BatchOp[] = [];
  /** Rows of putOnce: where they are, and what makes their value. */
  #latest: Map<Uint8Array, { readonly at: number; readonly value: () => Uint8Array }> | null = null;

  /** All rows so far, those of putOnce with the value that they have now. */
  get ops(): readonly BatchOp[] {
    for (const [key, { at, value }] of this.#latest ?? []) this.#ops[at] = { type: 'put', key, value: value() };
    return this.#ops;
  }
  put(key: Uint8Array, value: Uint8Array): void {
    this.#ops.push({ type: 'put', key, value });
  }
  /**
   * Like `put`, for a row that a change may write very often: it stands there once, and is made when it is asked for.
   * @param key always the same array
   */
  putOnce(key: Uint8Array, value: () => Uint8Array): void {
    this.#latest ??= new Map();
    if (!this.#latest.has(key)) this.#latest.set(key, { at: this.#ops.push({ type: 'del', key }) - 1, value });
  }
  del(key: Uint8Array): void {
    this.#ops.push({ type: 'del', key });
  }
  /** Forgets what was written. */
  clear(): void {
    this.#ops.length = 0;
    this.#latest = null;
  }
}
