// What became of transactions that are not in the pool: why the last ones were refused, and why the last ones left. A
// bounded memory, for answers to questions about single transactions; nothing is decided by it.
import { hashKey } from '../consensus/bytes/hex.js';

/**
 * Transactions that are remembered, about a megabyte. Peers may fill it with what they like: then older ones are
 * forgotten sooner.
 */
const MAX_OUTCOMES = 4_096;
/** Rivals that are named. */
export const MOST_RIVALS = 8;

export interface TxOutcome {
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

export class RecentOutcomes {
  /** By key of the txid, oldest first. */
  readonly #outcomes = new Map<string, TxOutcome>();

  get size(): number {
    return this.#outcomes.size;
  }

  /** @param txid internal order */
  get(txid: Uint8Array): TxOutcome | undefined {
    return this.#outcomes.get(hashKey(txid));
  }

  addOutcome(txid: Uint8Array, outcome: TxOutcome): void {
    const key = hashKey(txid);
    this.#outcomes.delete(key);
    this.#outcomes.set(key, outcome);
    if (this.#outcomes.size <= MAX_OUTCOMES) return;
    for (const oldest of this.#outcomes.keys()) {
      this.#outcomes.delete(oldest);
      break;
    }
  }

  /** It is in the pool now. */
  forgetTransaction(txid: Uint8Array): void {
    this.#outcomes.delete(hashKey(txid));
  }
}
