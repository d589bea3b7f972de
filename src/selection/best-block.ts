// The selection of mode `live`: chunks of clusters, unless the ancestor order of Core 0.21 happens to pay more. It can
// where a block is full and its last few hundred bytes decide (a knapsack no greedy order solves for sure), so both are
// filled and compared; the second costs about as much as the first. Called by the assemble job.
import { type Selection, type SelectionLimits, type SelectionScratch, selectByAncestors } from './ancestor-selection.js';
import type { Candidates } from './candidates.js';
import type { ClusterIndex } from './cluster/cluster-index.js';
import { fillByChunks } from './fill.js';

/** @param ranking every slot in use, by compareRank @param index the clusters of the same slots */
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

/** What counts: fees as the operator has weighted them. */
function modifiedFees({ modifiedFee }: Candidates, slots: Int32Array): number {
  let sum = 0;
  for (const slot of slots) sum += modifiedFee[slot];
  return sum;
}
