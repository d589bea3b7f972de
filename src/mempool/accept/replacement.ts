// BIP-0125 as Core 0.21 applies it: what a transaction must pay to push others out, and what it must not bring along.
import { formatMoney } from '../../consensus/limits.js';
import { feeForSize, feeRateOf, formatFeeRate } from '../../policy/fee-rate.js';
import { policyReject } from '../../policy/reject.js';
import { keyOf } from '../hash-key.js';
import { collectDescendants } from '../relatives.js';
import { NO_ROW } from '../rows.js';
import type { TxPool } from '../tx-pool.js';
import { idHex } from './pre-checks.js';
import type { Step } from './workspace.js';

/** Entries one replacement may remove. */
export const MAX_REPLACED = 100;

/** How many entries go with these at most: descendants that several have count for each. */
export function countReplaced({ rows }: TxPool, rivals: Iterable<number>): number {
  let count = 0;
  for (const rival of rivals) count += rows.descendantCount[rival];
  return count;
}

/** Fills in work.replaced. */
export const checkReplacement: Step = (work, { pool, options }) => {
  const { tx } = work;
  if (work.conflicts.size === 0) return null;
  const { rows, links } = pool;
  const id = idHex(tx);
  const newRate = feeRateOf(work.modifiedFee, work.size);
  const knownParents = new Set<string>();
  for (const rival of [...work.conflicts].sort(pool.compareIds)) {
    const oldRate = feeRateOf(rows.modifiedFee[rival], rows.size[rival]);
    if (newRate <= oldRate) {
      const debug = `rejecting replacement ${id}; new feerate ${formatFeeRate(newRate)} <= old feerate ${formatFeeRate(oldRate)}`;
      return policyReject('mempool-policy', 'insufficient fee', debug);
    }
    const old = pool.tx(rival);
    for (let i = 0; i < old.inputCount; i++) knownParents.add(keyOf(old.prevHash(i)));
  }
  const count = countReplaced(pool, work.conflicts);
  if (count > MAX_REPLACED) {
    const debug = `rejecting replacement ${id}; too many potential replacements (${count} > ${MAX_REPLACED})\n`;
    return policyReject('mempool-policy', 'too many potential replacements', debug);
  }
  for (const rival of work.conflicts) collectDescendants(links, rival, work.replaced);
  let oldFees = 0;
  for (const row of work.replaced) oldFees += rows.modifiedFee[row];
  for (let i = 0; i < tx.inputCount; i++) {
    if (!knownParents.has(keyOf(tx.prevHash(i))) && pool.find(tx.buffer, tx.outpointAt(i)) !== NO_ROW) {
      const debug = `replacement ${id} adds unconfirmed input, idx ${i}`;
      return policyReject('mempool-policy', 'replacement-adds-unconfirmed', debug);
    }
  }
  if (work.modifiedFee < oldFees) {
    const debug = `rejecting replacement ${id}, less fees than conflicting txs; ${formatMoney(work.modifiedFee)} < ${formatMoney(oldFees)}`;
    return policyReject('mempool-policy', 'insufficient fee', debug);
  }
  const extra = work.modifiedFee - oldFees;
  const needed = feeForSize(options.policy.incrementalFeeRate, work.size);
  if (extra < needed) {
    const debug = `rejecting replacement ${id}, not enough additional fees to relay; ${formatMoney(extra)} < ${formatMoney(needed)}`;
    return policyReject('mempool-policy', 'insufficient fee', debug);
  }
  return null;
};
