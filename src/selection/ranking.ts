// Order in which block assembly considers candidates: by the fee rate of a transaction alone or with its ancestors,
// whichever is lower. The assembler's mirror keeps the candidates in this order.
import { type Candidates, compareFeeRates } from './candidates.js';

/** Returns true if a slot ranks by its sums with ancestors, false if by itself. */
export function ranksWithAncestors(fee: number, size: number, ancestorFees: number, ancestorSize: number): boolean {
  return fee * ancestorSize > ancestorFees * size;
}

/** Returns a negative number if a comes before b. */
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
