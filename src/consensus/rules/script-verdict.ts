// Converts a failed script to a block's verdict. Core 0.21's wording, and whether a script failure or another fault is
// reported, depend on the number of script threads. With one thread, scripts run transaction by transaction among the
// other rules. With several threads, a fault of another rule is reported first.

import type { ConnectResult } from '../connect.js';
import type { Reject, Verdict } from '../state.js';
import { reject } from './reject.js';

/** Wording of a script failure in a block, and its order among other faults. */
export type ScriptWording = 'sequential' | 'parallel' | 'plain';

/** The first script that failed. */
export interface ScriptFailure {
  /** Index of the failed transaction in the block. */
  tx: number;
  /** Text of the script error. */
  error: string;
  /** True if the input passes when only the rules up to P2SH are enforced. */
  passesMandatory: boolean;
}

/**
 * Returns the verdict on a failed script of a transaction that is checked alone: in the mempool, or in a block with one
 * script thread.
 */
export function scriptReject(failure: Pick<ScriptFailure, 'error' | 'passesMandatory'>): Reject {
  return failure.passesMandatory
    ? reject('not-standard', `non-mandatory-script-verify-flag (${failure.error})`)
    : reject('consensus', `mandatory-script-verify-flag-failed (${failure.error})`);
}

/**
 * Returns the block's verdict from those of connectBlock and the scripts.
 * @param failure the failed script with the lowest transaction index among those below result.scriptTxs; null if none
 *   failed
 * @param wording sequential: one script thread; parallel: several; plain: as since release 30, which checks scripts
 *   last and uses the same wording for every failure
 */
export function blockVerdict(result: ConnectResult, failure: ScriptFailure | null, wording: ScriptWording): Verdict {
  if (failure === null) return result.verdict;
  if (wording === 'plain') return result.verdict ?? reject('consensus', `block-script-verify-flag-failed (${failure.error})`);
  if (wording === 'sequential') return { ...scriptReject(failure), category: 'consensus' };
  return result.verdict ?? reject('consensus', 'block-validation-failed');
}
