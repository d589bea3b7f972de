// Finds transactions for getrawtransaction: in the mempool, or through the transaction index. Also runs
// decoderawtransaction for bodies that are too large for a front.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { NodeContext } from '../context/node.js';
import type { Run } from '../dispatch.js';
import { txToDecode } from '../front/decode.js';
import { txMembersSliced } from '../render/tx.js';
import { renderContext } from './lookup.js';
import { Slicer } from './slices.js';

export interface Found {
  readonly tx: TxView;
  /** Hash of the block, internal order; null if the transaction is in the mempool. */
  readonly blockHash: Uint8Array | null;
  /** Sigop-adjusted size in the mempool; undefined elsewhere. */
  readonly pooledSize?: number;
}

/** Searches a transaction in the mempool, and in all blocks that -txindex has indexed. */
export async function searchTransaction(ctx: NodeContext, txid: Uint8Array): Promise<{ found: Found | undefined; synced: boolean }> {
  await ctx.mempool.settled();
  const pooled = ctx.mempool.get(txid);
  if (pooled) return { found: { tx: pooled.tx, blockHash: null, pooledSize: pooled.size }, synced: true };
  const synced = (await ctx.txIndex?.synced()) ?? false;
  return { found: await ctx.txIndex?.find(txid), synced };
}

export const decoderawtransaction: Run<NodeContext, Parameters<typeof txToDecode>[0]> = (params, ctx, call) =>
  txMembersSliced(txToDecode(params, ctx.crypto), renderContext(ctx), new Slicer(call.yieldToUrgent));
