// Replacement rules of Core's master (ReplacementChecks, policy/rbf), used except in mode core with -compat=0.21.1. The
// new transaction must pay for the transactions that it replaces and for its own relay, and the fee-rate diagram of the
// affected clusters must get better. Unlike in BIP-0125, the new fee rate need not exceed that of each conflicting transaction, and new
// unconfirmed inputs are allowed. Core 0.21's rules are in replacement.ts. See
// docs/decisions/0020-chunks-and-diagrams-in-live-mode.md.
import { policyReject } from '../../policy/reject.js';
import { adjustedWeightOf } from '../../selection/index.js';
import { type Clusters, clustersOf, improvesDiagram } from '../feerate-diagram.js';
import { collectDescendants } from '../relatives.js';
import type { TxPool } from '../tx-pool.js';
import { poolParents } from './chain-limits.js';
import { idHex } from './pre-checks.js';
import { paymentFault, tooManyClusters } from './replacement-cost.js';
import type { Step, Workspace } from './workspace.js';

/**
 * Returns the clusters that the new transaction would change: those of its conflicts and of its ancestors. Null if
 * these clusters are too large to compare.
 */
export function touchedClusters({ conflicts, ancestors }: Workspace, pool: TxPool): Clusters | null {
  return clustersOf(pool, [...conflicts, ...ancestors]);
}

/**
 * Finds the transactions that would be replaced, checks that the new transaction pays for them, and fills in
 * work.replaced.
 */
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

/** Checks that the fee-rate diagram gets better. Runs after the limits of clusters. */
export const checkDiagram: Step = ({ tx, touched, replaced, modifiedFee, size }, { pool }) => {
  if (touched === null) return null;
  const weight = adjustedWeightOf(size, tx.weight);
  const parents = poolParents(pool, [tx], Number.POSITIVE_INFINITY) as Set<number>;
  return improvesDiagram(pool, touched, replaced, { fee: modifiedFee, weight, parents })
    ? null
    : policyReject('reconsiderable', 'replacement-failed', 'insufficient feerate: does not improve feerate diagram');
};
