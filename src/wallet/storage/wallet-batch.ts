// Rows of a wallet that belong together: collected while memory changes, written all or nothing. One is open at a time
// per wallet.
import type { BatchOp } from '../../storage/store.js';

export class WalletBatch {
  /** Where rows are that are written again and again. */
  #places: Map<Uint8Array, number> | null = null;

  constructor(readonly ops: BatchOp[] = []) {}

  put(key: Uint8Array, value: Uint8Array): void {
    this.ops.push({ type: 'put', key, value });
  }
  /**
   * Like `put`, for a row that a change may write very often: it stands there once.
   * @param key always the same array
   */
  putOnce(key: Uint8Array, value: Uint8Array): void {
    this.#places ??= new Map();
    const at = this.#places.get(key) ?? this.ops.length;
    this.#places.set(key, at);
    this.ops[at] = { type: 'put', key, value };
  }
  del(key: Uint8Array): void {
    this.ops.push({ type: 'del', key });
  }
  /** Forgets what was written. */
  clear(): void {
    this.ops.length = 0;
    this.#places = null;
  }
}
