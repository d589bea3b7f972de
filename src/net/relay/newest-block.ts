// The block that was passed on last: ready to be sent as a compact block, and its transactions for peers that ask for
// one of them by name.
import type { BlockView } from '../../consensus/block/block-view.js';
import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';

export class NewestBlock {
  readonly hash: Uint8Array;
  /** Made when the first peer wants it. */
  message: Uint8Array | null = null;
  /** By keys of txid and of wtxid; made when the first peer asks. */
  #byTxid: Map<string, TxView> | null = null;
  #byWtxid: Map<string, TxView> | null = null;

  constructor(readonly block: BlockView) {
    this.hash = block.hash.slice();
  }

  is(hash: Uint8Array): boolean {
    return equalBytes(this.hash, hash);
  }

  /** A transaction of the block (Core's m_most_recent_block_txs): of a block that left again, too. */
  transaction(hash: Uint8Array, byWtxid: boolean): TxView | undefined {
    const { txs } = this.block;
    if (byWtxid) return (this.#byWtxid ??= new Map(txs.map((tx) => [hashKey(tx.wtxid), tx]))).get(hashKey(hash));
    return (this.#byTxid ??= new Map(txs.map((tx) => [hashKey(tx.txid), tx]))).get(hashKey(hash));
  }
}
