// Access of RPC calls to the optional indexes.
import type { FilterIndex, Indexes } from '../indexes/index.js';
import type { FilterOfBlock, FilterSearch } from '../parallel/filter-matcher.js';
import type { FilterIndexAccess } from '../rpc/context/indexes.js';
import type { NodeContext } from '../rpc/context/node.js';

/** Creates a search of filters for packed scripts. */
export type FilterSearcher = (packed: SharedArrayBuffer) => FilterSearch;

/** Returns the index members of NodeContext; null for disabled indexes. */
export function indexAccess(
  { tx, spenders, filters, coinStats, list }: Indexes,
  searcher: FilterSearcher,
): Pick<NodeContext, 'txIndex' | 'spenderIndex' | 'filterIndex' | 'coinStatsIndex' | 'indexes'> {
  return {
    txIndex: tx && {
      synced: () => tx.follower.waitUntilSynced(),
      find: (txid) => tx.index.find(txid),
      locate: (txid) => tx.index.locate(txid),
      blockHashAt: (place) => tx.index.blockHashAt(place),
    },
    spenderIndex: spenders && { synced: () => spenders.follower.waitUntilSynced(), find: (outpoint) => spenders.index.find(outpoint) },
    filterIndex: filters && {
      state: filters.follower,
      find: (hash) => filters.index.find(hash),
      heads: (hashes) => filters.index.heads(hashes),
      search: filterSearch(filters.index, searcher),
    },
    coinStatsIndex: coinStats && { state: coinStats.follower, find: (node) => coinStats.index.find(node) },
    indexes: list,
  };
}

/** Returns a search over the filters of an index. */
export function filterSearch(index: Pick<FilterIndex, 'find'>, searcher: FilterSearcher): FilterIndexAccess['search'] {
  return (packed) => {
    const match = searcher(packed);
    return async (hashes) => {
      const filters: (FilterOfBlock | undefined)[] = [];
      for (const hash of hashes) {
        const found = await index.find(hash);
        filters.push(found && { hash, filter: found.filter });
      }
      const hits = await match(filters.filter((filter) => filter !== undefined));
      let next = 0;
      return filters.map((filter) => (filter === undefined ? undefined : hits[next++]));
    };
  };
}
