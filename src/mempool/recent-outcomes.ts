// Remembers why transactions were refused or left, for queries about single transactions. The memory is limited, and no
// decision depends on it.
import { hashKey } from '../consensus/bytes/hex.js';

/** Number of remembered transactions, about one megabyte. Peers may fill it; then older ones are dropped sooner. */
const MAX_OUTCOMES = 4_096;
/** Largest number of conflicting transactions that are recorded. */
export const MOST_RIVALS = 8;

export interface TxOutcome {
  /** 'refused': rejected on arrival. 'left': removed later. */
  readonly kind: 'refused' | 'left';
  /** Core's reject reason, or why it left: expiry, sizelimit, reorg, conflict, replaced. */
  readonly reason: string;
  readonly debug: string;
  /** Time in seconds since 1970, by the node's clock. */
  readonly time: number;
  /** Txids (internal order) of transactions that it conflicted with or was replaced by. */
  readonly rivals: readonly Uint8Array[];
}

export class RecentOutcomes {
  /** Outcomes by key of the txid, oldest first. */
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

  /** Called when the transaction has entered the mempool. */
  forgetTransaction(txid: Uint8Array): void {
    this.#outcomes.delete(hashKey(txid));
  }
}
