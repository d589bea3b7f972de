// What became of transactions that are not in the pool: why the last ones were refused, and why the last ones left. A
// bounded memory, for answers to questions about single transactions; nothing is decided by it.
import { hashKey } from '../consensus/bytes/hex.js';

/**
 * Transactions that are remembered, about a megabyte. Peers may fill it with what they like: then older ones are
 * forgotten sooner.
 */
const MOST_FATES = 4_096;
/** Rivals that are named. */
export const MOST_RIVALS = 8;

export interface Fate {
  /** refused: never got in. left: was here. */
  readonly kind: 'refused' | 'left';
  /** The reject reason in Core's words, or why it left: expiry, sizelimit, reorg, conflict, replaced. */
  readonly reason: string;
  readonly debug: string;
  /** Seconds since 1970 by the node's clock. */
  readonly time: number;
  /** Txids (internal order) of what it was at odds with, or was replaced by. */
  readonly rivals: readonly Uint8Array[];
}

export class RecentFates {
  /** By key of the txid, oldest first. */
  readonly #fates = new Map<string, Fate>();

  get size(): number {
    return this.#fates.size;
  }

  /** @param txid internal order */
  get(txid: Uint8Array): Fate | undefined {
    return this.#fates.get(hashKey(txid));
  }

  note(txid: Uint8Array, fate: Fate): void {
    const key = hashKey(txid);
    this.#fates.delete(key);
    this.#fates.set(key, fate);
    if (this.#fates.size <= MOST_FATES) return;
    for (const oldest of this.#fates.keys()) {
      this.#fates.delete(oldest);
      break;
    }
  }

  /** It is in the pool now. */
  forget(txid: Uint8Array): void {
    this.#fates.delete(hashKey(txid));
  }
}
