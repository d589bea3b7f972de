// Verifies one input of a transaction against the output that it spends. Verify jobs, block checks and mempool checks
// call this function for each input.

import type { Crypto } from '../../crypto/crypto.js';
import type { TxView } from '../tx/tx-view.js';
import { TxSignatureChecker } from './checker.js';
import { verifyScript } from './interpreter.js';
import type { SighashCache } from './sighash.js';
import type { SpentOutput } from './spent-output.js';

/**
 * Checks the scripts of input `inputIndex`.
 * @param spent outputs spent by all inputs, in input order (taproot signatures commit to all of them)
 * @param sighash cache of this transaction, made with the same `spent`
 * @returns a ScriptError code; 0 if valid
 */
export function verifyTxInput(
  tx: TxView,
  inputIndex: number,
  spent: readonly SpentOutput[],
  flags: number,
  crypto: Crypto,
  sighash: SighashCache,
): number {
  const checker = new TxSignatureChecker(tx, inputIndex, spent, crypto, sighash);
  return verifyScript(tx.scriptSig(inputIndex), spent[inputIndex].script, tx.witnessStack(inputIndex), flags, checker);
}
