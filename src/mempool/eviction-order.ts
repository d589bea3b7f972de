// Orders in which rows leave a full or old mempool: comparisons for the heaps of eviction-queue.ts.
import { adjustedWeightOf, compareFeeFractions } from '../selection/index.js';
import type { Rows } from './rows.js';

/**
 * Returns a comparison that is true if row a is evicted before row b (Core 0.21). A row counts with its own fee rate or
 * with that of its descendants, whichever is higher. The lower rate is evicted first; of two equal rates, the newer
 * row.
 */
export function worseByDescendants(rows: Rows): (a: number, b: number) => boolean {
  return (a, b) => {
    const { size, modifiedFee, descendantSize, descendantFees, time } = rows;
    const aWhole = descendantFees[a] * size[a] > modifiedFee[a] * descendantSize[a];
    const bWhole = descendantFees[b] * size[b] > modifiedFee[b] * descendantSize[b];
    const left = (aWhole ? descendantFees[a] : modifiedFee[a]) * (bWhole ? descendantSize[b] : size[b]);
    const right = (aWhole ? descendantSize[a] : size[a]) * (bWhole ? descendantFees[b] : modifiedFee[b]);
    return left === right ? time[a] > time[b] : left < right;
  };
}

/**
 * Returns a comparison that is true if row a is evicted before row b, for a mempool that evicts chunks. The lower rank
 * (fee per weight) is evicted first; of two equal ranks the heavier one, then the higher txid, as in Core's block
 * order. A row's rank is never above the fee rate of its chunk. It starts as the row's own fee rate; worstChunk
 * raises it to the chunk's rate when necessary. New descendants never lower the rate of a chunk. When a transaction
 * leaves, the ranks of its relatives are reset.
 */
export function worseByRank(rows: Rows, compareIds: (a: number, b: number) => number): (a: number, b: number) => boolean {
  return (a, b) => {
    const { rankFee, rankWeight } = rows;
    const rate = compareFeeFractions(rankFee[a], rankWeight[a], rankFee[b], rankWeight[b]);
    if (rate !== 0) return rate < 0;
    return rankWeight[a] === rankWeight[b] ? compareIds(a, b) > 0 : rankWeight[a] > rankWeight[b];
  };
}

/** Resets a row's rank to its own fee rate. */
export function resetRank(rows: Rows, row: number): void {
  rows.rankFee[row] = rows.modifiedFee[row];
  rows.rankWeight[row] = adjustedWeightOf(rows.size[row], rows.weight[row]);
}

/** Returns a comparison that is true if a is older than b. */
export function byAge(rows: Rows): (a: number, b: number) => boolean {
  return (a, b) => rows.time[a] < rows.time[b];
}
