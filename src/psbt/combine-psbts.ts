// Combiner: merges several PSBTs of one transaction. If several PSBTs have the same field, the first PSBT's value is
// used. Core: psbt.cpp CombinePSBTs.
import { equalBytes } from '../consensus/bytes/hex.js';
import { buildTx } from '../consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { fieldsOf } from './create-psbt.js';
import type { Psbt, PsbtInput, PsbtOutput, Version2 } from './psbt.js';

/** Bit of PSBT_GLOBAL_TX_MODIFIABLE: some signature uses SIGHASH_SINGLE. */
const HAS_SINGLE = 4;

/**
 * Merges the fields of all PSBTs into the first one.
 * @returns the first PSBT with its updated transaction; null if the PSBTs have different transactions
 */
export function combinePsbts(psbts: readonly Psbt[], hashes: Hashes): Psbt | null {
  const [first, ...others] = psbts;
  const id = uniqueId(first, hashes);
  for (const other of others) {
    if ((first.version2 === null) !== (other.version2 === null) || !equalBytes(id, uniqueId(other, hashes))) return null;
    first.inputs.forEach((input, i) => {
      mergeInput(input, other.inputs[i]);
    });
    first.outputs.forEach((output, i) => {
      mergeOutput(output, other.outputs[i]);
    });
    addMissing(first.unknown, other.unknown);
    if (first.version2 && other.version2) mergeVersion2(first.version2, other.version2);
  }
  if (first.version2 === null) return first;
  return { ...first, tx: withSequences(first.tx, (i) => first.inputs[i].sequence ?? first.tx.sequence(i), hashes) };
}

/** Returns an id that all PSBTs of a transaction share. In version 2 it ignores sequences, which updaters may change (BIP-0370). */
const uniqueId = ({ tx, version2 }: Psbt, hashes: Hashes): Uint8Array => (version2 === null ? tx : withSequences(tx, () => 0, hashes)).txid;

function withSequences(tx: TxView, sequence: (input: number) => number, hashes: Hashes): TxView {
  const fields = fieldsOf(tx);
  const inputs = fields.inputs.map((input, i) => ({ ...input, sequence: sequence(i) }));
  return parseTx(buildTx({ ...fields, inputs }), hashes, { allowWitness: false });
}

/**
 * Merges the PSBT_GLOBAL_TX_MODIFIABLE flags: inputs or outputs may be changed only if both PSBTs allow it. The flag
 * for SIGHASH_SINGLE is set if either PSBT has it.
 */
function mergeVersion2(into: Version2, from: Version2): void {
  into.fallbackLocktime ??= from.fallbackLocktime;
  if (into.modifiable === null && from.modifiable === null) return;
  const [a, b] = [into.modifiable ?? 0, from.modifiable ?? 0];
  into.modifiable = (a & b) | ((a | b) & HAS_SINGLE);
}

function addMissing<T>(into: Map<string, T>, from: ReadonlyMap<string, T>): void {
  for (const [key, value] of from) if (!into.has(key)) into.set(key, value);
}

const either = (first: Uint8Array, second: Uint8Array): Uint8Array => (first.length > 0 ? first : second);

function mergeInput(into: PsbtInput, from: PsbtInput): void {
  into.nonWitnessUtxo ??= from.nonWitnessUtxo;
  into.witnessUtxo ??= from.witnessUtxo;
  addMissing(into.partialSigs, from.partialSigs);
  into.sighashType ??= from.sighashType;
  addMissing(into.keyPaths, from.keyPaths);
  into.redeemScript = either(into.redeemScript, from.redeemScript);
  into.witnessScript = either(into.witnessScript, from.witnessScript);
  into.finalScriptSig = either(into.finalScriptSig, from.finalScriptSig);
  if (into.finalWitness.length === 0) into.finalWitness = from.finalWitness;
  into.tapKeySig ??= from.tapKeySig;
  addMissing(into.tapScriptSigs, from.tapScriptSigs);
  addMissing(into.tapLeafScripts, from.tapLeafScripts);
  addMissing(into.tapKeyPaths, from.tapKeyPaths);
  into.tapInternalKey ??= from.tapInternalKey;
  into.tapMerkleRoot ??= from.tapMerkleRoot;
  into.sequence ??= from.sequence;
  into.requiredTime ??= from.requiredTime;
  into.requiredHeight ??= from.requiredHeight;
  addMissing(into.unknown, from.unknown);
}

function mergeOutput(into: PsbtOutput, from: PsbtOutput): void {
  addMissing(into.keyPaths, from.keyPaths);
  into.redeemScript = either(into.redeemScript, from.redeemScript);
  into.witnessScript = either(into.witnessScript, from.witnessScript);
  into.tapInternalKey ??= from.tapInternalKey;
  into.tapTree ??= from.tapTree;
  addMissing(into.tapKeyPaths, from.tapKeyPaths);
  addMissing(into.unknown, from.unknown);
}
