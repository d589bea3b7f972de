// Fee deltas of prioritisetransaction by txid, also of transactions that are not in the mempool.

import { hashKey } from '../consensus/bytes/hex.js';
import type { Txid } from '../consensus/ids.js';
import { MOST_DELTA } from './options.js';

export class FeeDeltas {
  /** Satoshis by key of the txid. */
  readonly #deltas = new Map<string, number>();

  get size(): number {
    return this.#deltas.size;
  }

  /** Returns the fee delta of a txid in satoshis. */
  of(txid: Txid): number {
    return this.#deltas.size === 0 ? 0 : (this.#deltas.get(hashKey(txid)) ?? 0);
  }

  /** Adds to the delta of a txid. The total is limited to MOST_DELTA. @returns how much was added */
  add(txid: Txid, wantedSats: number): number {
    const key = hashKey(txid);
    const before = this.#deltas.get(key) ?? 0;
    const total = Math.max(-MOST_DELTA, Math.min(MOST_DELTA, before + wantedSats));
    if (total === 0) this.#deltas.delete(key);
    else this.#deltas.set(key, total);
    return total - before;
  }

  /** Removes a delta, for example when its transaction was mined. */
  clear(txid: Txid): void {
    if (this.#deltas.size > 0) this.#deltas.delete(hashKey(txid));
  }

  *[Symbol.iterator](): IterableIterator<{ readonly txid: Txid; readonly delta: number }> {
    for (const [key, delta] of this.#deltas) yield { txid: Uint8Array.from(key, (character) => character.charCodeAt(0)), delta };
  }
}
