// Selects the transactions of a block as Core's master does (miner.cpp, addChunks), for mode `chunks`: chunks by
// falling fee rate until one pays less than the minimum. A chunk that does not fit is left out with the rest of its
// cluster.
import {
  lowerRate,
  MAX_FAILURES,
  MAX_SIGOPS,
  mayEnterAlone,
  type PackageRate,
  RESERVED_SIGOPS,
  RESERVED_WEIGHT,
  type Selection,
  type SelectionLimits,
  SelectionScratch,
} from './ancestor-selection.js';
import type { Candidates } from './candidates.js';
import type { ClusterIndex } from './cluster/cluster-index.js';
import { compareFeeFractions } from './cluster/fee-fraction.js';

const WITNESS_SCALE = 4;
const RATE_SIZE = 1000;

export function selectByChunks(
  c: Candidates,
  index: ClusterIndex,
  limits: SelectionLimits,
  scratch: SelectionScratch = new SelectionScratch(),
): Selection {
  const { closed } = scratch.prepare(c.fee.length);
  const slots: number[] = [];
  let [fees, weight, sigops, failures] = [0, limits.reservedWeight, RESERVED_SIGOPS, 0];
  let cut: PackageRate | null = null;
  for (const first of index.order) {
    const cluster = index.clusterOf(first);
    if (closed[cluster] !== 0) continue;
    const [fee, size] = [index.chunkFee(first), index.chunkSize(first)];
    if (compareFeeFractions(fee, Math.ceil(size / WITNESS_SCALE), limits.minFeeRate, RATE_SIZE) < 0) break;
    const chunk = [first];
    while (chunk.length < index.chunkLength(first)) chunk.push(index.next(chunk[chunk.length - 1]));
    const more = chunk.reduce((sum, slot) => sum + c.sigops[slot], 0);
    const fits = weight + size < limits.maxWeight && sigops + more < (limits.maxSigops ?? MAX_SIGOPS);
    if (!fits || !chunk.every((slot) => mayEnterAlone(c, slot, limits))) {
      closed[cluster] = 1;
      if (++failures > MAX_FAILURES && weight + RESERVED_WEIGHT > limits.maxWeight) break;
      continue;
    }
    failures = 0;
    cut = lowerRate(cut, fee, size);
    for (const slot of chunk) {
      slots.push(slot);
      fees += c.fee[slot];
      weight += c.weight[slot];
      sigops += c.sigops[slot];
    }
  }
  return { slots: Int32Array.from(slots), fees, weight, sigops, cut };
}
