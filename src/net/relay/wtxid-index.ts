// Mempool entries by wtxid, which is how peers name them (BIP-0339). Only transactions with witnesses need a row: the other's two names are
// one. Callers: relay.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { MempoolEntry } from '../../mempool/entry.js';
import type { Mempool } from '../../mempool/mempool.js';

export class WtxidIndex {
  readonly #txids = new Map<string, Uint8Array>();

  constructor(private readonly mempool: Mempool) {
    for (const entry of mempool.entries()) this.#add(entry);
    mempool.listen({
      added: (entry) => this.#add(entry),
      changed() {},
      removed: (entry) => {
        if (entry.tx.hasWitness) this.#txids.delete(hashKey(entry.tx.wtxid));
      },
    });
  }

  #add({ tx, txid }: MempoolEntry): void {
    if (tx.hasWitness) this.#txids.set(hashKey(tx.wtxid), txid);
  }

  get(wtxid: Uint8Array): MempoolEntry | undefined {
    const entry = this.mempool.get(this.#txids.get(hashKey(wtxid)) ?? wtxid);
    return entry;
  }
}
