// Which outputs cost more to spend than they hold (Core's GetDustThreshold). Used by the standardness rules.
import { witnessVersion } from '../consensus/script/templates.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import { feeForSize } from './fee-rate.js';
import type { PolicyOptions } from './options.js';
import { isUnspendable } from './script-type.js';

/** Outpoint, script size, signature and key of a pay-to-pubkey-hash input, sequence. */
const SPEND_BYTES = 32 + 4 + 1 + 107 + 4;
/** The same with the signature discounted as witness. */
const WITNESS_SPEND_BYTES = 32 + 4 + 1 + Math.trunc(107 / 4) + 4;

/**
 * Smallest amount in satoshis that isn't dust for this script; 0 for scripts nobody can spend. @param up how its fee is
 * rounded
 */
export function dustThreshold(script: Uint8Array, dustFeeRate: number, up = false): number {
  if (isUnspendable(script)) return 0;
  return feeForSize(dustFeeRate, outputBytes(script.length) + (witnessVersion(script) >= 0 ? WITNESS_SPEND_BYTES : SPEND_BYTES), up);
}

/** Of an output with so long a script. */
const outputBytes = (scriptLength: number): number => 8 + (scriptLength < 0xfd ? 1 : 3) + scriptLength;

/** The outputs that are dust. */
export function dustOutputs(tx: TxView, { dustFeeRate, roundUp }: Pick<PolicyOptions, 'dustFeeRate' | 'roundUp'>): number[] {
  const found: number[] = [];
  for (let i = 0; i < tx.outputCount; i++) {
    const value = tx.outputValue(i);
    // No script of this length needs more, and most outputs hold it: theirs are not looked at.
    if (value >= feeForSize(dustFeeRate, outputBytes(tx.outputScriptLength(i)) + SPEND_BYTES, roundUp)) continue;
    if (value < dustThreshold(tx.outputScript(i), dustFeeRate, roundUp)) found.push(i);
  }
  return found;
}
