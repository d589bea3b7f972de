// Dust: outputs that cost more to spend than they are worth (Core's GetDustThreshold).
import { witnessVersion } from '../consensus/script/templates.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import { feeForSize } from './fee-rate.js';
import type { PolicyOptions } from './options.js';
import { isUnspendable } from './script-type.js';

/** Size of an input that spends pay-to-pubkey-hash: outpoint, script size, signature and key, sequence. */
const SPEND_BYTES = 32 + 4 + 1 + 107 + 4;
/** Size of an input that spends a witness program; its signature and key count a quarter. */
const WITNESS_SPEND_BYTES = 32 + 4 + 1 + Math.trunc(107 / 4) + 4;

/**
 * Returns the smallest amount in satoshis that is not dust for an output with this script; 0 for unspendable scripts.
 * @param up round the fee up (since release 23)
 */
export function dustThreshold(script: Uint8Array, dustFeeRate: number, up = false): number {
  if (isUnspendable(script)) return 0;
  return feeForSize(dustFeeRate, outputBytes(script.length) + (witnessVersion(script) >= 0 ? WITNESS_SPEND_BYTES : SPEND_BYTES), up);
}

/** Returns the size of an output with a script of this length. */
const outputBytes = (scriptLength: number): number => 8 + (scriptLength < 0xfd ? 1 : 3) + scriptLength;

/** Returns the indexes of the outputs that are dust. */
export function dustOutputs(tx: TxView, { dustFeeRate, roundUp }: Pick<PolicyOptions, 'dustFeeRate' | 'roundUp'>): number[] {
  const found: number[] = [];
  for (let i = 0; i < tx.outputCount; i++) {
    const value = tx.outputValue(i);
    // This amount is enough for any script of this length. Most outputs have at least so much, so do not read their
    // scripts.
    if (value >= feeForSize(dustFeeRate, outputBytes(tx.outputScriptLength(i)) + SPEND_BYTES, roundUp)) continue;
    if (value < dustThreshold(tx.outputScript(i), dustFeeRate, roundUp)) found.push(i);
  }
  return found;
}
