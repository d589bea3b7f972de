// Limits on the cluster of a transaction: all transactions connected with it by spending, in either direction. This
// rule of newer Bitcoin Core applies in addition to the limits on ancestors and descendants. With -compat=0.21.1 it is
// off unless -limitclustercount or -limitclustersize is given.
import { policyReject } from '../../policy/reject.js';
import { adjustedWeightOf } from '../../selection/index.js';
import type { AcceptContext, Step } from './workspace.js';

/** New transactions that join clusters. */
export interface Newcomer {
  readonly count: number;
  /** Sigop-adjusted. */
  readonly weight: number;
  /** Ancestors of the new transactions. */
  readonly ancestors: ReadonlySet<number>;
  /** Rows that would be replaced. They do not count. */
  readonly replaced: ReadonlySet<number>;
  /** Only these rows count; undefined: all. See ReturnPlace. */
  readonly relatives?: ReadonlySet<number> | undefined;
}

/** Returns whether the new cluster would be within the limits. */
export function fitsCluster(
  { count, weight: own, ancestors, replaced, relatives }: Newcomer,
  { pool, options }: Pick<AcceptContext, 'pool' | 'options'>,
): boolean {
  const { limitClusterCount, limitClusterSize } = options;
  if (limitClusterCount === Number.POSITIVE_INFINITY && limitClusterSize === Number.POSITIVE_INFINITY) return true;
  // The limit is given in virtual bytes and compared with weights, as in Core, because weights are not rounded.
  const limitWeight = 4 * limitClusterSize;
  if (ancestors.size === 0) return count <= limitClusterCount && own <= limitWeight;
  const { rows, links } = pool;
  const counts = (row: number): boolean => !replaced.has(row) && (relatives?.has(row) ?? true);
  const found = new Set<number>();
  for (const row of ancestors) if (counts(row)) found.add(row);
  let weight = own;
  // The set grows during the loop. The loop returns as soon as a limit is exceeded.
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
