// Finds transactions for getrawtransaction and REST: in the mempool, or through the transaction index.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { TxPlace } from '../context/indexes.js';
import type { NodeContext } from '../context/node.js';
import type { TxPlaceMembers } from '../reads/read-job.js';
import { hashHex } from '../render/hex.js';

/** A transaction in the mempool, or the position of a confirmed one. */
export type Found = { readonly tx: TxView; readonly pooledSize: number } | { readonly place: TxPlace };

/** Searches a transaction in the mempool, and in all blocks that -txindex has indexed. */
export async function searchTransaction(ctx: NodeContext, txid: Uint8Array): Promise<{ found: Found | undefined; synced: boolean }> {
  await ctx.mempool.settled();
  const pooled = ctx.mempool.get(txid);
  // The sigop-adjusted size.
  if (pooled) return { found: { tx: pooled.tx, pooledSize: pooled.size }, synced: true };
  const synced = (await ctx.txIndex?.synced()) ?? false;
  const place = await ctx.txIndex?.locate(txid);
  return { found: place && { place }, synced };
}

/** Returns the members about the block of a transaction: hash, confirmations, and time. */
export function placeMembers(ctx: NodeContext, blockHash: Uint8Array): TxPlaceMembers {
  const blockhash = hashHex(blockHash);
  const node = ctx.chain.node(blockHash);
  if (!node) return { blockhash };
  if (!ctx.chain.contains(node)) return { blockhash, confirmations: 0 };
  return { blockhash, confirmations: 1 + ctx.chain.tip.height - node.height, time: node.time, blocktime: node.time };
}
