// Selection of mode `live`: by chunks of clusters, unless the ancestor order of Core 0.21 pays more. The ancestor order
// can pay more when the last few hundred bytes of a full block decide: filling them is a knapsack problem that no greedy
// order always solves. Both selections are computed and compared. The second one costs about as much time as the first.
// See docs/decisions/0036-fill-both-selections.md.
import { type Selection, type SelectionLimits, type SelectionScratch, selectByAncestors } from './ancestor-selection.js';
import type { Candidates } from './candidates.js';
import type { ClusterIndex } from './cluster/cluster-index.js';
import { fillByChunks } from './fill.js';

/** Selects the transactions of a block. @param ranking every used slot, by compareRank @param index the clusters of the same slots */
export function selectBestBlock(
  c: Candidates,
  ranking: Int32Array,
  index: ClusterIndex,
  limits: SelectionLimits,
  scratch?: SelectionScratch,
): Selection {
  const byChunks = fillByChunks(c, index, limits, scratch);
  const byAncestors = selectByAncestors(c, ranking, limits, scratch);
  return modifiedFees(c, byAncestors.slots) > modifiedFees(c, byChunks.slots) ? byAncestors : byChunks;
}

/** Returns the sum of modified fees, which include the operator's prioritisetransaction. */
function modifiedFees({ modifiedFee }: Candidates, slots: Int32Array): number {
  let sum = 0;
  for (const slot of slots) sum += modifiedFee[slot];
  return sum;
}
