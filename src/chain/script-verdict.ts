// Runs a block's scripts beside the checks that connectBlock made, and finds out what the verdict's wording needs. Callers: connect-block.

import type { ConnectResult } from '../consensus/connect.js';
import { blockVerdict } from '../consensus/rules/script-verdict.js';
import { MANDATORY_SCRIPT_FLAGS, STANDARD_SCRIPT_FLAGS } from '../consensus/script/flags.js';
import { scriptErrorText } from '../consensus/script/script-error.js';
import type { Verdict } from '../consensus/state.js';
import type { TxJob, Verifier, VerifyClass } from '../parallel/verifier.js';

/** Flags whose failures Core 0.21 calls non-mandatory: all that are policy, and all consensus rules after P2SH. */
const NOT_MANDATORY = STANDARD_SCRIPT_FLAGS & ~MANDATORY_SCRIPT_FLAGS;

/** How to run them. */
export interface ScriptRun {
  readonly flags: number;
  readonly klass: VerifyClass;
  /** Core's -par=1: scripts of a transaction come before the checks of the next one, and their errors are named. */
  readonly sequential: boolean;
}

/**
 * The block's verdict, scripts included.
 * @param checked what connectBlock found
 * @param jobs one for each transaction after the coinbase that reached the script stage
 */
export async function runScripts(verifier: Verifier, checked: ConnectResult, jobs: readonly TxJob[], run: ScriptRun): Promise<Verdict> {
  // With several threads a verdict without scripts stands whatever they say, so they need not run.
  if (jobs.length === 0 || (!run.sequential && checked.verdict !== null)) return checked.verdict;
  const { flags, klass, sequential } = run;
  const result = await verifier.verifyTxs({ txs: jobs, flags, klass });
  if (result.stopped) throw new Error('Script checks were stopped without a verdict');
  if (result.ok) return checked.verdict;
  const job = jobs[result.failedTx] as TxJob;
  const passesMandatory = sequential && (await passes(verifier, { ...job, onlyInput: result.failedInput }, flags & ~NOT_MANDATORY, run));
  const failure = { tx: result.failedTx + 1, error: scriptErrorText(result.scriptError), passesMandatory };
  return blockVerdict(checked, failure, sequential);
}

/** Whether an input passes under other flags; they decide between Core's two names of a failure. */
async function passes(verifier: Verifier, job: TxJob, flags: number, run: ScriptRun): Promise<boolean> {
  if (flags === run.flags) return false;
  return (await verifier.verifyTxs({ txs: [job], flags, klass: run.klass })).ok;
}
