// Transactions that are not in the mempool and may be in a block: rejected, replaced and evicted ones, and orphans.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { MempoolEntry, RemovalReason } from '../../mempool/index.js';

/** Maximum size of a transaction that is remembered, bytes. */
const MAX_EXTRA_BYTES = 100_000;

export class ExtraTxs {
  readonly #ring: TxView[] = [];
  #at = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Transactions, in no particular order. */
  get list(): readonly TxView[] {
    return this.#ring;
  }

  /**
   * Called when a transaction left the mempool. Remembers replaced and evicted transactions: a miner may not know the
   * replacement, may not want it, or may have a larger mempool.
   */
  onLeft(entry: MempoolEntry, reason: RemovalReason): void {
    // Check the size first, because `entry.tx` makes a copy.
    if ((reason === 'replaced' || reason === 'sizelimit') && entry.totalSize <= MAX_EXTRA_BYTES) this.add(entry.tx);
  }

  add(tx: TxView): void {
    if (this.#most <= 0 || tx.totalSize > MAX_EXTRA_BYTES) return;
    if (this.#ring.length < this.#most) this.#ring.push(tx);
    else this.#ring[this.#at++ % this.#most] = tx;
  }

  /** Returns the transactions by key of the wtxid. */
  byWtxid(): Map<string, TxView> {
    return new Map(this.#ring.map((tx) => [hashKey(tx.wtxid), tx]));
  }
}
