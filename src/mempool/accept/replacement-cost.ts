// What every replacement is measured by: how much it removes, and what it has to pay for that. Used by the steps of
// both modes and by packages.
import { formatMoney } from '../../consensus/limits.js';
import { feeForSize } from '../../policy/fee-rate.js';
import { clustersOf } from '../feerate-diagram.js';
import type { MempoolOptions } from '../options.js';
import type { TxPool } from '../tx-pool.js';

/** Entries that one replacement may remove; with diagrams, clusters that it may concern. */
const MAX_REPLACED = 100;

/**
 * That too many entries would go, in Core 0.21's words; null when not. Descendants that several have count for each.
 * @param id txid in hex
 */
export function tooManyRivals(id: string, rivals: Iterable<number>, { rows }: TxPool): string | null {
  let count = 0;
  for (const rival of rivals) count += rows.descendantCount[rival];
  return count > MAX_REPLACED ? `rejecting replacement ${id}; too many potential replacements (${count} > ${MAX_REPLACED})` : null;
}

/**
 * That too many clusters are concerned, in newer Core's words; null when not, or when they are too large to be compared.
 * @param id txid in hex
 */
export function tooManyClusters(id: string, rivals: Iterable<number>, pool: TxPool): string | null {
  const clusters = clustersOf(pool, rivals)?.count ?? 0;
  return clusters > MAX_REPLACED ? `rejecting replacement ${id}; too many conflicting clusters (${clusters} > ${MAX_REPLACED})` : null;
}

/**
 * What newcomers that pay `fee` for `size` virtual bytes fall short of, beside what they replace (BIP-0125, rules 3 and
 * 4); null for nothing.
 * @param id txid in hex, for the text
 */
export function paymentFault(id: string, fee: number, size: number, oldFees: number, { policy }: MempoolOptions): string | null {
  if (fee < oldFees) return `rejecting replacement ${id}, less fees than conflicting txs; ${formatMoney(fee)} < ${formatMoney(oldFees)}`;
  const extra = fee - oldFees;
  const needed = feeForSize(policy.incrementalFeeRate, size, policy.roundUp);
  if (extra >= needed) return null;
  return `rejecting replacement ${id}, not enough additional fees to relay; ${formatMoney(extra)} < ${formatMoney(needed)}`;
}
