// The order in which rows leave a full or old pool: comparisons for the heaps of tx-pool.ts.
import { adjustedWeightOf } from '../selection/cluster/cluster-index.js';
import { compareFeeFractions } from '../selection/cluster/fee-fraction.js';
import type { Rows } from './rows.js';

/**
 * Whether a is evicted before b: the lower of the two when each counts with its own or its descendants' fee rate,
 * whichever is higher; among equals the newer.
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
 * The same where a full pool gives up chunks, which are paid for by weight: the lower rank, and among equals the heavier,
 * then the one with the higher txid, as in Core's order of blocks. A row's rank is at most what its chunk pays: at first
 * what it pays itself, which holds for one of each chunk, then what worst-chunk.ts finds when its turn comes. A chunk that
 * others join from below pays no less; when something leaves, what it depended on begins anew.
 */
export function worseByRank(rows: Rows, compareIds: (a: number, b: number) => number): (a: number, b: number) => boolean {
  return (a, b) => {
    const { rankFee, rankWeight } = rows;
    const rate = compareFeeFractions(rankFee[a], rankWeight[a], rankFee[b], rankWeight[b]);
    if (rate !== 0) return rate < 0;
    return rankWeight[a] === rankWeight[b] ? compareIds(a, b) > 0 : rankWeight[a] > rankWeight[b];
  };
}

/** A row's rank as long as nothing is known of its chunk. */
export function resetRank(rows: Rows, row: number): void {
  rows.rankFee[row] = rows.modifiedFee[row];
  rows.rankWeight[row] = adjustedWeightOf(rows.size[row], rows.weight[row]);
}

/** Whether a is older than b. */
export function byAge(rows: Rows): (a: number, b: number) => boolean {
  return (a, b) => rows.time[a] < rows.time[b];
}
