// Replacement as Core master decides it (ReplacementChecks, policy/rbf): the newcomer pays for what it replaces and for
// its own relay, and the fee-rate diagram of the clusters concerned gets better. Its own fee rate against each rival's,
// and unconfirmed inputs that it brings along, are nothing by themselves. Steps of mode live; Core 0.21's are in
// replacement.ts.
import { policyReject } from '../../policy/reject.js';
import { adjustedWeightOf } from '../../selection/cluster/cluster-index.js';
import { type Clusters, clustersOf, improvesDiagram } from '../feerate-diagram.js';
import { collectDescendants } from '../relatives.js';
import type { TxPool } from '../tx-pool.js';
import { poolParents } from './chain-limits.js';
import { idHex } from './pre-checks.js';
import { paymentFault, tooManyClusters } from './replacement-cost.js';
import type { Step, Workspace } from './workspace.js';

/**
 * What the newcomer would leave changed: the clusters of its rivals and of what it spends. Null when they are too large
 * to be compared.
 */
export function touchedClusters({ conflicts, ancestors }: Workspace, pool: TxPool): Clusters | null {
  return clustersOf(pool, [...conflicts, ...ancestors]);
}

/** What would have to go, and whether it is paid for. Fills in work.replaced. */
export const checkCandidates: Step = (work, { pool, options }) => {
  const id = idHex(work.tx);
  const sibling = work.evictsSibling ? ' (including sibling eviction)' : '';
  const tooMany = tooManyClusters(id, work.conflicts, pool);
  if (tooMany !== null) return policyReject('mempool-policy', `too many potential replacements${sibling}`, tooMany);
  const replaced = new Set<number>();
  for (const rival of work.conflicts) collectDescendants(pool.links, rival, replaced);
  work.replaced = replaced;
  let oldFees = 0;
  for (const row of replaced) oldFees += pool.rows.modifiedFee[row];
  const fault = paymentFault(id, work.modifiedFee, work.size, oldFees, options);
  return fault === null ? null : policyReject('reconsiderable', `insufficient fee${sibling}`, fault);
};

/** Whether blocks get better by it. Comes after the limits of clusters. */
export const checkDiagram: Step = ({ tx, touched, replaced, modifiedFee, size }, { pool }) => {
  if (touched === null) return null;
  const weight = adjustedWeightOf(size, tx.weight);
  const parents = poolParents(pool, [tx], Number.POSITIVE_INFINITY) as Set<number>;
  return improvesDiagram(pool, touched, replaced, { fee: modifiedFee, weight, parents })
    ? null
    : policyReject('reconsiderable', 'replacement-failed', 'insufficient feerate: does not improve feerate diagram');
};
