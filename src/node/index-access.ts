// The optional indexes as RPC sees them. Caller: start.ts.
import type { Indexes } from '../indexes/indexes.js';
import type { NodeContext } from '../rpc/node/context.js';

/** What NodeContext holds of the indexes; null for those that are off. */
export function indexAccess({
  tx,
  filters,
  coinStats,
  list,
}: Indexes): Pick<NodeContext, 'txIndex' | 'filterIndex' | 'coinStatsIndex' | 'indexes'> {
  return {
    txIndex: tx && { synced: () => tx.follower.settle(), find: (txid) => tx.index.find(txid) },
    filterIndex: filters && {
      state: filters.follower,
      find: (hash) => filters.index.find(hash),
      heads: (hashes) => filters.index.heads(hashes),
    },
    coinStatsIndex: coinStats && { state: coinStats.follower, find: (node) => coinStats.index.find(node) },
    indexes: list,
  };
}
