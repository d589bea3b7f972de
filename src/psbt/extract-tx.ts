// Extractor: returns the transaction of a PSBT whose inputs are final. Core: psbt.cpp FinalizeAndExtractPSBT.
import { buildTx } from '../consensus/tx/build-tx.js';
import { fieldsOf } from './create-psbt.js';
import type { Psbt } from './psbt.js';

/** Returns the transaction with the final scripts of all inputs that have them. */
export function extractTx({ tx, inputs }: Psbt): Uint8Array {
  const fields = fieldsOf(tx);
  const signed = fields.inputs.map((input, i) => ({
    ...input,
    scriptSig: inputs[i].finalScriptSig,
    witness: inputs[i].finalWitness,
  }));
  return buildTx({ ...fields, inputs: signed });
}
