// Mempool entries by wtxid, which is how peers name them (BIP-0339): the mempool's own table. Callers: relay.
import type { MempoolEntry } from '../../mempool/entry.js';
import type { Mempool } from '../../mempool/mempool.js';

export class WtxidIndex {
  constructor(private readonly mempool: Mempool) {}

  /** A view, to be read at once. */
  get(wtxid: Uint8Array): MempoolEntry | undefined {
    return this.mempool.getByWtxid(wtxid);
  }
}
