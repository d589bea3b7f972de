// Rules for replacing other transactions: BIP-0125 as in Core 0.21. Except in mode core with -compat=0.21.1, the fee-rate
// diagram decides instead, as in Core's master (diagram-replacement.ts), unless the clusters are too large for it.
import { hashKey } from '../../consensus/bytes/hex.js';
import { feeRateOf, formatFeeRate } from '../../policy/fee-rate.js';
import { policyReject } from '../../policy/reject.js';
import { collectDescendants } from '../relatives.js';
import { NO_ROW } from '../rows.js';
import { checkCandidates, touchedClusters } from './diagram-replacement.js';
import { idHex } from './pre-checks.js';
import { paymentFault, tooManyRivals } from './replacement-cost.js';
import type { Step } from './workspace.js';

/** Checks the replacement and fills in work.replaced. */
export const checkReplacement: Step = (work, context) => {
  if (work.conflicts.size === 0) return null;
  work.touched = context.options.replaceByDiagram ? touchedClusters(work, context.pool) : null;
  return work.touched === null ? checkRules(work, context) : checkCandidates(work, context);
};

const checkRules: Step = (work, { pool, options }) => {
  const { tx } = work;
  const { rows, links } = pool;
  const id = idHex(tx);
  const newRate = feeRateOf(work.modifiedFee, work.size);
  const knownParents = new Set<string>();
  for (const rival of [...work.conflicts].sort(pool.records.compareIds)) {
    const oldRate = feeRateOf(rows.modifiedFee[rival], rows.size[rival]);
    if (newRate <= oldRate) {
      const debug = `rejecting replacement ${id}; new feerate ${formatFeeRate(newRate)} <= old feerate ${formatFeeRate(oldRate)}`;
      return policyReject('reconsiderable', 'insufficient fee', debug);
    }
    const old = pool.records.tx(rival);
    for (let i = 0; i < old.inputCount; i++) knownParents.add(hashKey(old.prevHash(i)));
  }
  const tooMany = tooManyRivals(id, work.conflicts, pool);
  if (tooMany !== null) return policyReject('mempool-policy', 'too many potential replacements', `${tooMany}\n`);
  const replaced = new Set<number>();
  for (const rival of work.conflicts) collectDescendants(links, rival, replaced);
  work.replaced = replaced;
  let oldFees = 0;
  for (const row of replaced) oldFees += rows.modifiedFee[row];
  for (let i = 0; i < tx.inputCount; i++) {
    if (!knownParents.has(hashKey(tx.prevHash(i))) && pool.records.find(tx.buffer, tx.outpointAt(i)) !== NO_ROW) {
      const debug = `replacement ${id} adds unconfirmed input, idx ${i}`;
      return policyReject('mempool-policy', 'replacement-adds-unconfirmed', debug);
    }
  }
  const fault = paymentFault(id, work.modifiedFee, work.size, oldFees, options);
  return fault === null ? null : policyReject('reconsiderable', 'insufficient fee', fault);
};
