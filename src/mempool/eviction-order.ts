// The order in which rows leave a full or old pool: comparisons for the heaps of tx-pool.ts.
import { WITNESS_SCALE_FACTOR } from '../consensus/limits.js';
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
 * The same where a full pool gives up chunks, which are paid for by weight: among equals the heavier, then the one with
 * the higher txid, as in Core's order of blocks. Exact for what stands alone; of a family, whose chunks are seen when
 * its turn comes, virtual bytes stand for the weights of the descendants.
 */
export function worseByWeight(rows: Rows, compareIds: (a: number, b: number) => number): (a: number, b: number) => boolean {
  return (a, b) => {
    const { size, weight, modifiedFee, descendantCount, descendantSize, descendantFees } = rows;
    const [ownA, ownB] = [adjustedWeightOf(size[a], weight[a]), adjustedWeightOf(size[b], weight[b])];
    const [allA, allB] = [WITNESS_SCALE_FACTOR * descendantSize[a], WITNESS_SCALE_FACTOR * descendantSize[b]];
    const aWhole = descendantCount[a] > 1 && compareFeeFractions(descendantFees[a], allA, modifiedFee[a], ownA) > 0;
    const bWhole = descendantCount[b] > 1 && compareFeeFractions(descendantFees[b], allB, modifiedFee[b], ownB) > 0;
    const [feeA, weightA] = aWhole ? [descendantFees[a], allA] : [modifiedFee[a], ownA];
    const [feeB, weightB] = bWhole ? [descendantFees[b], allB] : [modifiedFee[b], ownB];
    const rate = compareFeeFractions(feeA, weightA, feeB, weightB);
    if (rate !== 0) return rate < 0;
    return weightA === weightB ? compareIds(a, b) > 0 : weightA > weightB;
  };
}

/** Whether a is older than b. */
export function byAge(rows: Rows): (a: number, b: number) => boolean {
  return (a, b) => rows.time[a] < rows.time[b];
}
