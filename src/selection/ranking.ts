// Keeps the candidates in the order in which block assembly looks at them: by the fee rate of a transaction alone or
// with its ancestors, whichever is lower. Used by the assembler's mirror, which keeps them in a list of
// sorted-slots.ts.
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
