// Remembers why transactions were refused or left the mempool, for queries about single transactions. The number of
// entries is limited, and no decision of the node depends on them.

import { hashKey } from '../consensus/bytes/hex.js';
import type { Txid } from '../consensus/ids.js';

/**
 * Number of remembered transactions, about one megabyte. Peers can send many invalid transactions; then older outcomes
 * are dropped sooner.
 */
const MAX_OUTCOMES = 4_096;
/** Largest number of conflicting transactions that are recorded. */
export const MOST_RIVALS = 8;

export interface TxOutcome {
  /** 'refused': rejected on arrival. 'left': removed later. */
  readonly kind: 'refused' | 'left';
  /** Core's reject reason, or why the transaction left: expiry, sizelimit, reorg, conflict, replaced. */
  readonly reason: string;
  readonly debug: string;
  /** Time in seconds since 1970, by the node's clock. */
  readonly time: number;
  /** Txids (internal order) of the transactions that conflicted with this one or replaced it. */
  readonly rivals: readonly Uint8Array[];
}

export class RecentOutcomes {
  /** Outcomes by key of the txid, oldest first. */
  readonly #outcomes = new Map<string, TxOutcome>();

  get size(): number {
    return this.#outcomes.size;
  }

  /** @param txid internal order */
  get(txid: Txid): TxOutcome | undefined {
    return this.#outcomes.get(hashKey(txid));
  }

  addOutcome(txid: Txid, outcome: TxOutcome): void {
    const key = hashKey(txid);
    this.#outcomes.delete(key);
    this.#outcomes.set(key, outcome);
    if (this.#outcomes.size <= MAX_OUTCOMES) return;
    for (const oldest of this.#outcomes.keys()) {
      this.#outcomes.delete(oldest);
      break;
    }
  }

  /** Forgets the outcome of a transaction. Called when the transaction has entered the mempool. */
  forgetTransaction(txid: Txid): void {
    this.#outcomes.delete(hashKey(txid));
  }
}
