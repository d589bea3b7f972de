// Standardness of a transaction alone: Core's IsStandardTx. Replies contain only the first reason, so the order of the
// checks matters.

import { isPushOnly } from '../consensus/script/tokenizer.js';
import type { Reject } from '../consensus/state.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import { dustOutputs, dustThreshold } from './dust.js';
import type { PolicyOptions } from './options.js';
import { policyReject } from './reject.js';
import { scriptType, solve } from './script-type.js';

export const MAX_STANDARD_WEIGHT = 400_000;
/** Largest standard scriptSig in bytes. A 15-of-15 P2SH multisignature with compressed keys fits. */
const MAX_SCRIPT_SIG_BYTES = 1650;
const MAX_MULTISIG_KEYS = 3;

/** Returns the first reason why a transaction is not standard; null if it is standard. */
export function checkStandardTx(tx: TxView, policy: PolicyOptions): Reject | null {
  if (tx.version > policy.maxVersion || tx.version < 1) return policyReject('not-standard', 'version');
  if (tx.weight > MAX_STANDARD_WEIGHT) return policyReject('not-standard', 'tx-size');
  for (let i = 0; i < tx.inputCount; i++) {
    if (tx.scriptSigLength(i) === 0) continue;
    const scriptSig = tx.scriptSig(i);
    if (scriptSig.length > MAX_SCRIPT_SIG_BYTES) return policyReject('not-standard', 'scriptsig-size');
    if (!isPushOnly(scriptSig)) return policyReject('not-standard', 'scriptsig-not-pushonly');
  }
  let dataOutputs = 0;
  let dataLeft = policy.dataCarrier ? policy.dataCarrierBytes : 0;
  for (let i = 0; i < tx.outputCount; i++) {
    const script = tx.outputScript(i);
    const type = scriptType(script);
    if (type === 'nonstandard') return policyReject('not-standard', 'scriptpubkey');
    if (type === 'nulldata') {
      if (script.length > dataLeft || !policy.dataCarrier) {
        return policyReject('not-standard', policy.dataCarrierTogether ? 'datacarrier' : 'scriptpubkey');
      }
      if (policy.dataCarrierTogether) dataLeft -= script.length;
      dataOutputs++;
    } else if (type === 'multisig') {
      const { solutions } = solve(script);
      const required = solutions[0][0];
      const keys = solutions[solutions.length - 1][0];
      if (keys < 1 || keys > MAX_MULTISIG_KEYS || required < 1 || required > keys) return policyReject('not-standard', 'scriptpubkey');
      if (!policy.permitBareMultisig) return policyReject('not-standard', 'bare-multisig');
    }
    if (policy.ephemeralDust || type === 'nulldata') continue;
    if (tx.outputValue(i) < dustThreshold(script, policy.dustFeeRate)) return policyReject('not-standard', 'dust');
  }
  if (policy.ephemeralDust && dustOutputs(tx, policy).length > 1) return policyReject('not-standard', 'dust');
  if (dataOutputs > 1 && !policy.dataCarrierTogether) return policyReject('not-standard', 'multi-op-return');
  return null;
}
