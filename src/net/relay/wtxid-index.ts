// Mempool entries by wtxid, which is how peers name them (BIP-0339), and all of them for compact blocks. Only transactions with witnesses
// need a row: the other's two names are one. Callers: relay.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { MempoolEntry } from '../../mempool/entry.js';
import type { Mempool } from '../../mempool/mempool.js';

/** A transaction by its wtxid; the rest is read only when wanted. */
export interface NamedTx {
  readonly wtxid: Uint8Array;
  tx(): TxView;
}

export class WtxidIndex {
  readonly #rows = new Map<string, { readonly wtxid: Uint8Array; readonly txid: Uint8Array }>();

  constructor(private readonly mempool: Mempool) {
    for (const entry of mempool.entries()) this.#add(entry);
    mempool.listen({
      added: (entry) => this.#add(entry),
      changed() {},
      removed: ({ tx }) => this.#rows.delete(hashKey(tx.wtxid)),
    });
  }

  #add({ tx }: MempoolEntry): void {
    this.#rows.set(hashKey(tx.wtxid), { wtxid: tx.wtxid.slice(), txid: tx.txid.slice() });
  }

  get(wtxid: Uint8Array): MempoolEntry | undefined {
    const row = this.#rows.get(hashKey(wtxid));
    return row === undefined ? undefined : this.mempool.get(row.txid);
  }

  /** Every transaction of the mempool; those that leave while the caller pauses are passed over. */
  *all(): Generator<NamedTx> {
    for (const { wtxid, txid } of this.#rows.values()) {
      yield {
        wtxid,
        tx: () => (this.mempool.get(txid) as MempoolEntry).tx,
      };
    }
  }
}
