// Costs of a replacement: the number of transactions or clusters that it affects, and the fee that it must pay.
import { formatMoney } from '../../consensus/limits.js';
import { feeForSize } from '../../policy/fee-rate.js';
import { clustersOf } from '../feerate-diagram.js';
import type { MempoolOptions } from '../options.js';
import type { TxPool } from '../tx-pool.js';

/**
 * Largest number of entries that one replacement may remove. When diagrams decide: largest number of clusters that it
 * may affect.
 */
const MAX_REPLACED = 100;

/**
 * Returns Core 0.21's message if too many entries would be replaced; null otherwise. A descendant of several conflicts
 * counts once for each of them.
 * @param id txid in hex
 */
export function tooManyRivals(id: string, rivals: Iterable<number>, { rows }: TxPool): string | null {
  let count = 0;
  for (const rival of rivals) count += rows.descendantCount[rival];
  return count > MAX_REPLACED ? `rejecting replacement ${id}; too many potential replacements (${count} > ${MAX_REPLACED})` : null;
}

/**
 * Returns newer Core's message if too many clusters are affected. Null otherwise, or if the clusters are too large to
 * compare.
 * @param id txid in hex
 */
export function tooManyClusters(id: string, rivals: Iterable<number>, pool: TxPool): string | null {
  const clusters = clustersOf(pool, rivals)?.count ?? 0;
  return clusters > MAX_REPLACED ? `rejecting replacement ${id}; too many conflicting clusters (${clusters} > ${MAX_REPLACED})` : null;
}

/**
 * Returns Core's message if new transactions do not pay enough for a replacement (BIP-0125, rules 3 and 4); null if
 * they do.
 * @param id txid in hex, for the message
 * @param fee modified fees of the new transactions
 * @param size their virtual size in bytes
 */
export function paymentFault(id: string, fee: number, size: number, oldFees: number, { policy }: MempoolOptions): string | null {
  if (fee < oldFees) return `rejecting replacement ${id}, less fees than conflicting txs; ${formatMoney(fee)} < ${formatMoney(oldFees)}`;
  const extra = fee - oldFees;
  const needed = feeForSize(policy.incrementalFeeRate, size, policy.roundUp);
  if (extra >= needed) return null;
  return `rejecting replacement ${id}, not enough additional fees to relay; ${formatMoney(extra)} < ${formatMoney(needed)}`;
}
