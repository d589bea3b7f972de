// Rules for a package as a whole, checked after each transaction passed its own rules: limits on relatives (Core's
// CheckPackageLimits), and replacement by a parent and its child (Core 28 and later, PackageMempoolChecks).
import { hashToHex } from '../../consensus/bytes/hex.js';
import { feeRateOf, formatFeeRate } from '../../policy/fee-rate.js';
import { adjustedWeightOf, compareFeeFractions } from '../../selection/index.js';
import { type Limits, poolParents, walkAncestors } from '../accept/chain-limits.js';
import { fitsCluster } from '../accept/cluster-limits.js';
import { paymentFault, tooManyClusters, tooManyRivals } from '../accept/replacement-cost.js';
import type { AcceptContext, Workspace } from '../accept/workspace.js';
import { clustersOf, improvesDiagram } from '../feerate-diagram.js';
import { collectDescendants } from '../relatives.js';
import { isChildWithParents, type PackageFault, packageFault } from './package-shape.js';

/** Sums over a package. */
export interface PackageTotals {
  readonly size: number;
  readonly modifiedFee: number;
}

/**
 * Checks the limits on relatives as if each transaction were related to all others. This is stricter than checking each
 * alone.
 */
export function checkPackageLimits(
  works: readonly Workspace[],
  { size }: PackageTotals,
  { pool, options }: AcceptContext,
): PackageFault | null {
  const limits: Limits = {
    ancestorCount: options.limitAncestorCount,
    ancestorSize: options.limitAncestorSize,
    descendantCount: options.limitDescendantCount,
    descendantSize: options.limitDescendantSize,
  };
  const fault = (text: string): PackageFault => packageFault('package-mempool-limits', text);
  const count = works.length;
  if (count > limits.ancestorCount) return fault(`package count ${count} exceeds ancestor count limit [limit: ${limits.ancestorCount}]`);
  if (count > limits.descendantCount)
    return fault(`package count ${count} exceeds descendant count limit [limit: ${limits.descendantCount}]`);
  if (size > limits.ancestorSize) return fault(`package size ${size} exceeds ancestor size limit [limit: ${limits.ancestorSize}]`);
  if (size > limits.descendantSize) return fault(`package size ${size} exceeds descendant size limit [limit: ${limits.descendantSize}]`);
  const parents = poolParents(
    pool,
    works.map(({ tx }) => tx),
    limits.ancestorCount,
  );
  if (parents === null) return fault(`too many unconfirmed parents [limit: ${limits.ancestorCount}]`);
  const found = walkAncestors(pool, parents, { count, size }, limits);
  return typeof found === 'string' ? fault(`possibly ${found}`) : null;
}

/** Sum of the sigop-adjusted weights. */
const weightOf = (works: readonly Workspace[]): number => works.reduce((sum, work) => sum + adjustedWeightOf(work.size, work.tx.weight), 0);

/** Checks the limits of the cluster that the package would join. Must be called after the replaced rows are known. */
export function checkPackageCluster(works: readonly Workspace[], context: AcceptContext): PackageFault | null {
  const ancestors = new Set(works.flatMap((work) => [...work.ancestors]));
  const replaced = new Set(works.flatMap((work) => [...work.replaced]));
  return fitsCluster({ count: works.length, weight: weightOf(works), ancestors, replaced }, context)
    ? null
    : context.options.policy.clusters
      ? packageFault('too-large-cluster')
      : packageFault('package-mempool-limits', 'too-large-cluster');
}

/** Checks the transactions that the package would replace, if any, and stores their rows in the parent's workspace. */
export function checkPackageReplacement(
  works: readonly Workspace[],
  { size, modifiedFee }: PackageTotals,
  { pool, options }: AcceptContext,
): PackageFault | null {
  if (works.every(({ conflicts }) => conflicts.size === 0)) return null;
  const fault = (text: string, debug = ''): PackageFault => packageFault(`package RBF failed: ${text}`, debug);
  if (works.length !== 2 || !isChildWithParents(works.map(({ tx }) => tx))) return fault('package must be 1-parent-1-child');
  if (works.some(({ ancestors }) => ancestors.size > 0)) return fault('new transaction cannot have mempool ancestors');
  const [parent, child] = works;
  const rivals = new Set([...parent.conflicts, ...child.conflicts]);
  const id = hashToHex(child.tx.txid);
  const tooMany = options.policy.clusters ? tooManyClusters(id, rivals, pool) : tooManyRivals(id, rivals, pool);
  if (tooMany !== null) return fault('too many potential replacements', tooMany);
  const removed = new Set<number>();
  for (const rival of rivals) collectDescendants(pool.links, rival, removed);
  let oldFees = 0;
  for (const row of removed) oldFees += pool.rows.modifiedFee[row];
  const unpaid = paymentFault(id, modifiedFee, size, oldFees, options);
  if (unpaid !== null) return fault('insufficient anti-DoS fees', unpaid);
  if (compareFeeFractions(modifiedFee, size, parent.modifiedFee, parent.size) <= 0) {
    const [rate, parentRate] = [feeRateOf(modifiedFee, size), feeRateOf(parent.modifiedFee, parent.size)];
    const text = `package feerate ${formatFeeRate(rate)} <= parent feerate is ${formatFeeRate(parentRate)}`;
    return fault('package feerate is less than or equal to parent feerate', text);
  }
  const touched = clustersOf(pool, removed);
  if (touched === null) return fault('clusters are too large to be compared');
  // The package has a higher fee rate than the parent alone, so parent and child are one chunk.
  if (!improvesDiagram(pool, touched, removed, { fee: modifiedFee, weight: weightOf(works), parents: new Set() }))
    return fault('insufficient feerate: does not improve feerate diagram');
  parent.replaced = removed;
  return null;
}
