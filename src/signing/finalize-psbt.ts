// Finalizer: combines the signatures of every input, without keys. Core: psbt.cpp FinalizePSBT.
import type { Crypto } from '../crypto/crypto.js';
import type { Psbt } from '../psbt/index.js';
import { psbtSigning, signPsbtInput } from './psbt-input.js';

/**
 * Finalizes a PSBT in place.
 * @param later use the rules of release 32
 * @returns whether every input is final
 */
export function finalizePsbt(psbt: Psbt, crypto: Crypto, later: boolean): boolean {
  const work = psbtSigning(psbt, crypto, later);
  let complete = true;
  for (let i = 0; i < psbt.inputs.length; i++) {
    if (!signPsbtInput(work, i, null, { hashType: psbt.inputs[i].sighashType, finalize: true }).final) complete = false;
  }
  return complete;
}
