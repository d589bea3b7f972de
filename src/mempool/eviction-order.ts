// The order in which rows leave a full or old pool: comparisons for the heaps of tx-pool.ts.
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

/** Whether a is older than b. */
export function byAge(rows: Rows): (a: number, b: number) => boolean {
  return (a, b) => rows.time[a] < rows.time[b];
}
