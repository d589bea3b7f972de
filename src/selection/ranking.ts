// Keeps the candidates in the order in which block assembly looks at them: by the fee rate of a transaction alone or with its ancestors,
// whichever is lower. A change re-sorts only what changed and merges it in. Used by the assembler's mirror.
import { type Candidates, compareFeeRates } from './candidates.js';

/** Whether slot ranks with its ancestors (else by itself), given its sums. */
export function ranksWithAncestors(fee: number, size: number, ancestorFees: number, ancestorSize: number): boolean {
  return fee * ancestorSize > ancestorFees * size;
}

/** Negative when a is looked at before b. */
export function compareRank(c: Candidates, a: number, b: number): number {
  const aWhole = ranksWithAncestors(c.modifiedFee[a], c.size[a], c.ancestorFees[a], c.ancestorSize[a]);
  const bWhole = ranksWithAncestors(c.modifiedFee[b], c.size[b], c.ancestorFees[b], c.ancestorSize[b]);
  return compareFeeRates(
    c.txids,
    a,
    aWhole ? c.ancestorFees[a] : c.modifiedFee[a],
    aWhole ? c.ancestorSize[a] : c.size[a],
    b,
    bWhole ? c.ancestorFees[b] : c.modifiedFee[b],
    bWhole ? c.ancestorSize[b] : c.size[b],
  );
}

/**
 * The order after a change.
 * @param order the order before @param stale 1 for slots of it that left or changed @param fresh slots that came or changed
 */
export function mergeRanking(c: Candidates, order: Int32Array, stale: Uint8Array, fresh: Int32Array): Int32Array {
  const sorted = fresh.slice().sort((a, b) => compareRank(c, a, b));
  const rest = new Int32Array(order.length);
  let kept = 0;
  for (let i = 0; i < order.length; i++) if (stale[order[i]] === 0) rest[kept++] = order[i];
  const merged = new Int32Array(kept + sorted.length);
  let from = 0;
  for (let i = 0; i < sorted.length; i++) {
    // Few come into many: their places are found by halving, and what lies between is moved at once.
    let low = from;
    for (let high = kept; low < high; ) {
      const middle = (low + high) >> 1;
      if (compareRank(c, sorted[i], rest[middle]) < 0) high = middle;
      else low = middle + 1;
    }
    merged.set(rest.subarray(from, low), from + i);
    merged[low + i] = sorted[i];
    from = low;
  }
  merged.set(rest.subarray(from, kept), from + sorted.length);
  return merged;
}
