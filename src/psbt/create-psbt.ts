// Creator: makes a PSBT that contains only its transaction (BIP-0174).
import { buildTx, type TxFields } from '../consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { emptyInput, emptyOutput, type Psbt } from './psbt.js';

/** Versions of the format. */
export type PsbtVersion = 0 | 2;

const EMPTY = new Uint8Array(0);

/** Creates an empty PSBT of a transaction, without its scriptSigs and witnesses. @param version of the format */
export function createPsbt(tx: TxView, hashes: Hashes, version: PsbtVersion = 0): Psbt {
  const inputs = Array.from({ length: tx.inputCount }, emptyInput);
  if (version === 2) for (const [i, input] of inputs.entries()) input.sequence = tx.sequence(i);
  return {
    tx: withoutSignatures(tx, hashes),
    version2: version === 2 ? { fallbackLocktime: tx.locktime, modifiable: null } : null,
    inputs,
    outputs: Array.from({ length: tx.outputCount }, emptyOutput),
    unknown: new Map(),
  };
}

/** Returns version, inputs, outputs and lock time of a transaction as separate fields. */
export function fieldsOf(tx: TxView): TxFields {
  return {
    version: tx.version,
    inputs: Array.from({ length: tx.inputCount }, (_, i) => ({
      prevHash: tx.prevHash(i),
      prevIndex: tx.prevIndex(i),
      scriptSig: tx.scriptSig(i),
      sequence: tx.sequence(i),
      witness: tx.witness(i),
    })),
    outputs: Array.from({ length: tx.outputCount }, (_, i) => ({ value: tx.outputValueBig(i), script: tx.outputScript(i) })),
    locktime: tx.locktime,
  };
}

/** Returns the transaction with empty scriptSigs and without witnesses, as a PSBT of version 0 contains it. */
export function withoutSignatures(tx: TxView, hashes: Hashes): TxView {
  const fields = fieldsOf(tx);
  const inputs = fields.inputs.map((input) => ({ ...input, scriptSig: EMPTY, witness: [] }));
  return parseTx(buildTx({ ...fields, inputs }), hashes, { allowWitness: false });
}
