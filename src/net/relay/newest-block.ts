// The block that was forwarded last, prepared for requests: as a compact block, and its transactions by id.

import type { BlockView } from '../../consensus/block/block-view.js';
import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import type { BlockHash, TxHash } from '../../consensus/ids.js';
import type { TxView } from '../../consensus/tx/tx-view.js';

export class NewestBlock {
  readonly hash: BlockHash;
  /** Encoded compact block; null until the first peer wants it. */
  message: Uint8Array | null = null;
  /** Transactions by keys of txid and wtxid; built at the first request. */
  #byTxid: Map<string, TxView> | null = null;
  #byWtxid: Map<string, TxView> | null = null;

  constructor(readonly block: BlockView) {
    this.hash = block.hash.slice();
  }

  is(hash: BlockHash): boolean {
    return equalBytes(this.hash, hash);
  }

  /** Returns a transaction of the block, also after the block was disconnected (Core's m_most_recent_block_txs). */
  transaction(hash: TxHash, byWtxid: boolean): TxView | undefined {
    const { txs } = this.block;
    if (byWtxid) return (this.#byWtxid ??= new Map(txs.map((tx) => [hashKey(tx.wtxid), tx]))).get(hashKey(hash));
    return (this.#byTxid ??= new Map(txs.map((tx) => [hashKey(tx.txid), tx]))).get(hashKey(hash));
  }
}
