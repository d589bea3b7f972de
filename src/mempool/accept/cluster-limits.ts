// How large the cluster of a transaction may become: everything connected with it by spending, whichever way. The rule of newer
// Bitcoin Core, beside the limits on ancestors and descendants; off unless -limitclustercount or -limitclustersize is given.
import { policyReject } from '../../policy/reject.js';
import type { Step } from './workspace.js';

/** What the transaction would replace is not there any more. */
export const checkClusterLimits: Step = (work, { pool, options }) => {
  const { limitClusterCount, limitClusterSize } = options;
  if (limitClusterCount === Number.POSITIVE_INFINITY && limitClusterSize === Number.POSITIVE_INFINITY) return null;
  const { rows, links } = pool;
  const found = new Set<number>();
  for (const row of work.ancestors) if (!work.replaced.has(row)) found.add(row);
  let size = work.size;
  // The set grows while it is walked through, and the walk ends where a limit does.
  for (const row of found) {
    size += rows.size[row];
    if (found.size + 1 > limitClusterCount || size > limitClusterSize) return policyReject('mempool-policy', 'too-large-cluster', '');
    for (const list of [links.parents(row), links.children(row)]) {
      for (const relative of list) if (!work.replaced.has(relative)) found.add(relative);
    }
  }
  return size > limitClusterSize ? policyReject('mempool-policy', 'too-large-cluster', '') : null;
};
