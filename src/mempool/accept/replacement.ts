// BIP-0125 as Core 0.21 applies it: what a transaction must pay to push others out, and what it must not bring along.
import { formatMoney } from '../../consensus/limits.js';
import { feeForSize, feeRateOf, formatFeeRate } from '../../policy/fee-rate.js';
import { policyReject } from '../../policy/reject.js';
import { compareEntryIds } from '../entry.js';
import { collectDescendants } from '../relatives.js';
import { keyOf } from '../tx-keys.js';
import { idHex } from './pre-checks.js';
import type { Step } from './workspace.js';

/** Entries one replacement may remove. */
const MAX_REPLACED = 100;

/** Fills in work.replaced. */
export const checkReplacement: Step = (work, { pool, options }) => {
  const { tx } = work;
  if (work.conflicts.size === 0) return null;
  const id = idHex(tx);
  const newRate = feeRateOf(work.modifiedFee, work.size);
  const knownParents = new Set<string>();
  let count = 0;
  for (const rival of [...work.conflicts].sort(compareEntryIds)) {
    const oldRate = feeRateOf(rival.modifiedFee, rival.size);
    if (newRate <= oldRate) {
      const debug = `rejecting replacement ${id}; new feerate ${formatFeeRate(newRate)} <= old feerate ${formatFeeRate(oldRate)}`;
      return policyReject('mempool-policy', 'insufficient fee', debug);
    }
    const old = rival.tx;
    for (let i = 0; i < old.inputCount; i++) knownParents.add(keyOf(old.prevHash(i)));
    count += rival.descendantCount;
  }
  if (count > MAX_REPLACED) {
    const debug = `rejecting replacement ${id}; too many potential replacements (${count} > ${MAX_REPLACED})\n`;
    return policyReject('mempool-policy', 'too many potential replacements', debug);
  }
  for (const rival of work.conflicts) collectDescendants(rival, work.replaced);
  let oldFees = 0;
  for (const entry of work.replaced) oldFees += entry.modifiedFee;
  for (let i = 0; i < tx.inputCount; i++) {
    const txid = work.keys.parents[i];
    if (!knownParents.has(txid) && pool.getByKey(txid) !== undefined) {
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
