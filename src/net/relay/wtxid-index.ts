// Mempool entries by wtxid, which is how peers name them (BIP-0339), and all of them for compact blocks: the mempool's
// own table and rows.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { MempoolEntry } from '../../mempool/entry.js';
import type { Mempool } from '../../mempool/mempool.js';

/** A transaction by its wtxid; the rest is read only when wanted, at once. */
export interface NamedTx {
  readonly wtxid: Uint8Array;
  tx(): TxView;
}

export class WtxidIndex {
  readonly #mempool: Mempool;

  constructor(mempool: Mempool) {
    this.#mempool = mempool;
  }

  /** A view, to be read at once. */
  get(wtxid: Uint8Array): MempoolEntry | undefined {
    return this.#mempool.getByWtxid(wtxid);
  }

  /** Every transaction of the mempool; those that leave while the caller pauses are passed over. */
  *all(): Generator<NamedTx> {
    const { records } = this.#mempool;
    for (const row of records.rows.here()) {
      if (!records.rows.isHere(row)) continue;
      const entry = records.entry(row);
      yield { wtxid: entry.wtxid, tx: () => entry.tx };
    }
  }
}
