// How large the cluster of a transaction may become: everything connected with it by spending, whichever way. The rule
// of newer Bitcoin Core, beside the limits on ancestors and descendants; off unless -limitclustercount or
// -limitclustersize is given.
import { policyReject } from '../../policy/reject.js';
import { adjustedWeightOf } from '../../selection/cluster/cluster-index.js';
import type { AcceptContext, Step } from './workspace.js';

/** Something new that joins clusters. */
export interface Newcomer {
  readonly count: number;
  /** Sigop-adjusted. */
  readonly weight: number;
  /** Rows that it depends on. */
  readonly ancestors: ReadonlySet<number>;
  /** Rows that it would replace: they are not there any more. */
  readonly replaced: ReadonlySet<number>;
  /** Only these rows count, see AcceptOptions. */
  readonly relatives?: ReadonlySet<number> | undefined;
}

/** Whether the cluster of something new would be within the limits. */
export function fitsCluster(
  { count, weight: own, ancestors, replaced, relatives }: Newcomer,
  { pool, options }: Pick<AcceptContext, 'pool' | 'options'>,
): boolean {
  const { limitClusterCount, limitClusterSize } = options;
  if (limitClusterCount === Number.POSITIVE_INFINITY && limitClusterSize === Number.POSITIVE_INFINITY) return true;
  // A size is told in virtual bytes and held against weights, as in Core: those do not round.
  const limitWeight = 4 * limitClusterSize;
  if (ancestors.size === 0) return count <= limitClusterCount && own <= limitWeight;
  const { rows, links } = pool;
  const counts = (row: number): boolean => !replaced.has(row) && (relatives?.has(row) ?? true);
  const found = new Set<number>();
  for (const row of ancestors) if (counts(row)) found.add(row);
  let weight = own;
  // The set grows while it is walked through, and the walk ends where a limit does.
  for (const row of found) {
    weight += adjustedWeightOf(rows.size[row], rows.weight[row]);
    if (found.size + count > limitClusterCount || weight > limitWeight) return false;
    for (const list of [links.parents(row), links.children(row)]) {
      for (const relative of list) if (counts(relative)) found.add(relative);
    }
  }
  return count <= limitClusterCount && weight <= limitWeight;
}

export const checkClusterLimits: Step = ({ size, tx, ancestors, replaced, accept: { returning } }, context) =>
  fitsCluster({ count: 1, weight: adjustedWeightOf(size, tx.weight), ancestors, replaced, relatives: returning?.rows }, context)
    ? null
    : policyReject('mempool-policy', 'too-large-cluster', '');
