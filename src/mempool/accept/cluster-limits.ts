// How large the cluster of a transaction may become: everything connected with it by spending, whichever way. The rule of newer
// Bitcoin Core, beside the limits on ancestors and descendants; off unless -limitclustercount or -limitclustersize is given.
import { policyReject } from '../../policy/reject.js';
import type { AcceptContext, Step } from './workspace.js';

/** Something new that joins clusters. */
export interface Newcomer {
  readonly count: number;
  /** Sigop-adjusted virtual bytes. */
  readonly size: number;
  /** Rows that it depends on. */
  readonly ancestors: Iterable<number>;
  /** Rows that it would replace: they are not there any more. */
  readonly replaced: ReadonlySet<number>;
}

/** Whether the cluster of something new would be within the limits. */
export function fitsCluster({ count, size: own, ancestors, replaced }: Newcomer, { pool, options }: AcceptContext): boolean {
  const { limitClusterCount, limitClusterSize } = options;
  if (limitClusterCount === Number.POSITIVE_INFINITY && limitClusterSize === Number.POSITIVE_INFINITY) return true;
  const { rows, links } = pool;
  const found = new Set<number>();
  for (const row of ancestors) if (!replaced.has(row)) found.add(row);
  let size = own;
  // The set grows while it is walked through, and the walk ends where a limit does.
  for (const row of found) {
    size += rows.size[row];
    if (found.size + count > limitClusterCount || size > limitClusterSize) return false;
    for (const list of [links.parents(row), links.children(row)]) {
      for (const relative of list) if (!replaced.has(relative)) found.add(relative);
    }
  }
  return count <= limitClusterCount && size <= limitClusterSize;
}

export const checkClusterLimits: Step = (work, context) =>
  fitsCluster({ count: 1, size: work.size, ancestors: work.ancestors, replaced: work.replaced }, context)
    ? null
    : policyReject('mempool-policy', 'too-large-cluster', '');
