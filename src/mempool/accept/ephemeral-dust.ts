// Ephemeral dust: outputs below the dust limit that a child spends at once (Core's ephemeral_policy). A transaction
// with such an output must pay no fee, so that it is mined only with a child, and the child must spend the dust. These
// rules of newer Core releases apply to standard transactions.
import { hashKey, hashToHex } from '../../consensus/bytes/hex.js';
import type { Reject } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { dustOutputs } from '../../policy/dust.js';
import type { PolicyOptions } from '../../policy/options.js';
import { policyReject } from '../../policy/reject.js';
import { NO_ROW } from '../rows.js';
import type { AcceptContext, Step } from './workspace.js';

/** Returns whether a transaction has dust and therefore must pay no fee. */
export const paysNothing = (tx: TxView, policy: PolicyOptions): boolean =>
  policy.ephemeralDust && policy.requireStandard && dustOutputs(tx, policy).length > 0;

export const checkUnpaidDust: Step = ({ tx, fee, modifiedFee }, { options: { policy } }) =>
  (fee !== 0 || modifiedFee !== 0) && paysNothing(tx, policy)
    ? policyReject('not-standard', 'dust', 'tx with dust output must be 0-fee')
    : null;

/**
 * Returns a reject if the transaction does not spend all dust of its unconfirmed parents; null otherwise.
 * @param others transactions of its package by key of the txid
 */
export function unspentDust(tx: TxView, others: ReadonlyMap<string, TxView>, { pool, options }: AcceptContext): Reject | null {
  const { policy } = options;
  if (!policy.ephemeralDust || !policy.requireStandard) return null;
  // Group the spent outputs by parent, because this transaction may spend thousands of outputs of one parent.
  const spent = new Map<string, { readonly hash: Uint8Array; readonly outputs: Set<number> }>();
  for (let i = 0; i < tx.inputCount; i++) {
    const id = hashKey(tx.prevHash(i));
    const known = spent.get(id);
    if (known === undefined) spent.set(id, { hash: tx.prevHash(i), outputs: new Set([tx.prevIndex(i)]) });
    else known.outputs.add(tx.prevIndex(i));
  }
  for (const [id, { hash, outputs }] of spent) {
    const row = pool.records.find(hash);
    const parent = others.get(id) ?? (row === NO_ROW ? undefined : pool.records.tx(row));
    if (parent === undefined || dustOutputs(parent, policy).every((output) => outputs.has(output))) continue;
    const debug = `tx ${hashToHex(tx.txid)} (wtxid=${hashToHex(tx.wtxid)}) did not spend parent's ephemeral dust`;
    return policyReject('mempool-policy', 'missing-ephemeral-spends', debug);
  }
  return null;
}

const ALONE: ReadonlyMap<string, TxView> = new Map();

/** Checks the dust of a transaction outside a package. */
export const checkDustSpent: Step = ({ tx, accept, ancestors }, context) =>
  accept.bypassLimits === true || ancestors.size === 0 ? null : unspentDust(tx, ALONE, context);
