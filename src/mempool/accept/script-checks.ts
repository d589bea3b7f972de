// Runs a transaction's scripts under the standard flags on the verifier's threads. Names a failure as Core 0.21 does:
// "non-mandatory" if the input passes under the rules up to P2SH.
import { hashToHex } from '../../consensus/bytes/hex.js';
import { MANDATORY_SCRIPT_FLAGS, STANDARD_SCRIPT_FLAGS } from '../../consensus/script/flags.js';
import { scriptErrorText } from '../../consensus/script/script-error.js';
import type { Reject } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Verifier, VerifyResult } from '../../parallel/verifier.js';
import { policyReject } from '../../policy/reject.js';
import { spendsWitnessProgram } from '../../policy/standard-inputs.js';
import type { Workspace } from './workspace.js';

/** Options of checkScripts. */
interface ScriptOptions {
  /** Script result obtained earlier. */
  readonly ahead?: VerifyResult | null;
  /** True to name failures as newer releases do: one reason, and the input. */
  readonly detailed: boolean;
}

/** Returns a reject if a script fails; null otherwise. Returns it without a promise if the scripts passed before. */
export function checkScripts(work: Workspace, verifier: Verifier, options: ScriptOptions): Reject | null | Promise<Reject | null> {
  const { tx, spent } = work;
  const result = options.ahead ?? verifier.verifyTxs({ txs: [{ tx, spent }], flags: STANDARD_SCRIPT_FLAGS, klass: 'transaction' });
  return !(result instanceof Promise) && result.ok ? null : rejectOf(work, verifier, result, options);
}

async function rejectOf(
  work: Workspace,
  verifier: Verifier,
  awaited: VerifyResult | Promise<VerifyResult>,
  { detailed }: ScriptOptions,
): Promise<Reject | null> {
  const { tx, spent } = work;
  const result = await awaited;
  if (result.ok) return null;
  // A transaction without its witness may fail although the complete transaction, which has the same txid, is valid.
  const named = (reject: Reject): Reject =>
    !tx.hasWitness && spendsWitnessProgram(tx, spent) ? { ...reject, category: 'witness-stripped' } : reject;
  const text = scriptErrorText(result.scriptError, detailed);
  if (detailed) {
    const debug = inputText(tx, result.failedInput);
    return named(policyReject('not-standard', `mempool-script-verify-flag-failed (${text})`, debug));
  }
  const again = await verifier.verifyTxs({
    txs: [{ tx, spent, onlyInput: result.failedInput }],
    flags: MANDATORY_SCRIPT_FLAGS,
    klass: 'transaction',
  });
  return named(
    again.ok
      ? policyReject('not-standard', `non-mandatory-script-verify-flag (${text})`)
      : policyReject('consensus', `mandatory-script-verify-flag-failed (${text})`),
  );
}

/** Describes the input of a script, as releases since 29 do. */
const inputText = (tx: TxView, i: number): string =>
  `input ${i} of ${hashToHex(tx.txid)} (wtxid ${hashToHex(tx.wtxid)}), spending ${hashToHex(tx.prevHash(i))}:${tx.prevIndex(i)}`;
