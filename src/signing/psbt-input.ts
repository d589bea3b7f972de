// Signs, fills and finalizes one input of a PSBT, or fills one output. Core: psbt.cpp SignPSBTInput, UpdatePSBTOutput.

import { equalBytes } from '../consensus/bytes/hex.js';
import { STANDARD_SCRIPT_FLAGS } from '../consensus/script/flags.js';
import { verifyScript } from '../consensus/script/interpreter.js';
import { ScriptError } from '../consensus/script/script-error.js';
import { SIGHASH_ALL, SIGHASH_ANYONECANPAY, SIGHASH_DEFAULT, SIGHASH_SINGLE } from '../consensus/script/sighash.js';
import { witnessVersion } from '../consensus/script/templates.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Signer } from '../crypto/schnorr-signer.js';
import { encodeTapTree, isFinal, type Psbt, type PsbtInput, utxoOf } from '../psbt/index.js';
import type { PsbtSigning } from './presign-inputs.js';
import { type PresignedInput, signatureIn } from './presign-inputs.js';
import { produceSignature } from './produce-signature.js';
import { addKeyOrigins, inputData, outputData, preimageIn, updateInputFields, updateOutputFields } from './psbt-fields.js';
import { dummyTools, locksOf, signingTools } from './signature-creator.js';
import type { Missing, SignatureData } from './signature-data.js';
import type { SigningProvider } from './signing-provider.js';
import { type SigningTx, signingTx } from './signing-tx.js';
import type { SolvingTools } from './solving-tools.js';

export function psbtSigning(psbt: Psbt, crypto: Crypto, later = false): PsbtSigning {
  const spent = psbt.inputs.map((_, i) => utxoOf(psbt, i));
  return { psbt, signing: signingTx(psbt.tx, spent, crypto), later, proven: new Set() };
}

/** Returns whether an input's final scripts are present and valid. Before release 32, their presence is enough. */
export function isDone(work: PsbtSigning, index: number): boolean {
  const { finalScriptSig, finalWitness } = work.psbt.inputs[index];
  if (!work.later) return isFinal(work.psbt.inputs[index]);
  if (work.proven.has(index)) return true;
  const done = verifies(work.signing, index, { scriptSig: finalScriptSig, witness: [...finalWitness] });
  if (done) work.proven.add(index);
  return done;
}

/** Keys and signer for an input. */
export interface PsbtSigner {
  readonly provider: SigningProvider;
  /** Sighash type, one byte. */
  readonly hashType: number;
  readonly signer: Signer;
  /** Final scripts that another thread made for this input; null or absent: sign here. */
  readonly made?: PresignedInput | null;
}

/** Result of signing an input: whether it is final, and otherwise what is missing (null if unknown). */
export interface InputOutcome {
  readonly final: boolean;
  readonly missing: Missing | null;
  /** Set if the requested sighash type differs from that of the input or of a signature in it. */
  readonly mismatch?: true;
}

/** Options for signing an input. */
export interface SignOptions {
  /**
   * Sighash type, one byte; null for the default: DEFAULT for taproot, otherwise ALL. Used only with the rules of
   * release 32.
   */
  readonly hashType: number | null;
  /** True if complete inputs get their final scripts. */
  readonly finalize: boolean;
}

const PLAIN: SignOptions = { hashType: null, finalize: true };

/** Provider without any keys or scripts. */
const EMPTY_PROVIDER: SigningProvider = {
  script: () => undefined,
  publicKey: () => undefined,
  hasSecret: () => false,
  secret: () => undefined,
  origin: () => undefined,
};

/** Signs or combines one input in place. @param by keys and signer; null to combine existing signatures */
export function signPsbtInput(work: PsbtSigning, index: number, by: PsbtSigner | null, options: SignOptions = PLAIN): InputOutcome {
  const { signing } = work;
  const output = signing.spent[index];
  let hashType = by?.hashType ?? SIGHASH_ALL;
  if (work.later && output !== null) {
    const chosen = outcomeOrHashType(work, index, output.script, options.hashType);
    if (typeof chosen !== 'number') return chosen;
    hashType = chosen;
  }
  // Refuse SIGHASH_SINGLE if there is no output with the index of the input. The signature hash would be the number 1,
  // and anyone could reuse the signature.
  const signs = (hashType & ~SIGHASH_ANYONECANPAY) !== SIGHASH_SINGLE || index < signing.tx.outputCount;
  const how = { dummy: false, finalize: options.finalize };
  if (by === null || output === null || !signs)
    return solveInput(work, index, unsigned(by?.provider ?? EMPTY_PROVIDER, signing, index), how);
  const tools = signingTools(signing, { input: index, output, ...by, hashType });
  return solveInput(work, index, by.made ? withPresigned(tools, by.made) : tools, how, by.made);
}

/**
 * Applies release 32's checks before solving an input. Returns the outcome if it is known without solving; otherwise
 * the sighash type to sign with.
 */
function outcomeOrHashType(work: PsbtSigning, index: number, script: Uint8Array, asked: number | null): InputOutcome | number {
  return isDone(work, index) ? { final: true, missing: null } : unprovenOutcome(work.psbt.inputs[index], script, asked);
}

/** Same as outcomeOrHashType, for an input whose final scripts are absent or were not verified. */
function unprovenOutcome(input: PsbtInput, script: Uint8Array, asked: number | null): InputOutcome | number {
  const hashType = chooseHashType(input, script, asked);
  if (hashType === null) return { final: false, missing: null, mismatch: true };
  // Core does not verify final scripts here. It reports the input as final only if the whole previous transaction is
  // present.
  return isFinal(input) ? { final: input.nonWitnessUtxo !== null, missing: null } : hashType;
}

const isTaproot = (script: Uint8Array): boolean => witnessVersion(script) === 1 && script.length === 34;

/**
 * Chooses the sighash type for signatures. If the type is not the default, stores it in the input.
 * @returns null on a mismatch
 */
function chooseHashType(input: PsbtInput, script: Uint8Array, asked: number | null): number | null {
  const taproot = isTaproot(script);
  const hashType = asked ?? (taproot ? SIGHASH_DEFAULT : SIGHASH_ALL);
  if (input.sighashType !== null && input.sighashType !== hashType) return null;
  if (hashType !== SIGHASH_DEFAULT && (taproot || hashType !== SIGHASH_ALL)) input.sighashType = hashType;
  const schnorr = [...(input.tapKeySig ? [input.tapKeySig] : []), ...[...input.tapScriptSigs.values()].map((sig) => sig.signature)];
  const matches = (signature: Uint8Array): boolean => signature[signature.length - 1] === hashType;
  if (hashType === SIGHASH_DEFAULT) return schnorr.every(({ length }) => length === 64) ? hashType : null;
  if (!schnorr.every((signature) => signature.length === 65 && matches(signature))) return null;
  return [...input.partialSigs.values()].every(({ signature }) => matches(signature)) ? hashType : null;
}

/** Returns tools that use a signature made on another thread, and make all others. */
function withPresigned(tools: SolvingTools, made: PresignedInput): SolvingTools {
  const known = signatureIn(made);
  return {
    ...tools,
    create: (keyId, publicKey, scriptCode, sigVersion) => {
      if (known !== null && equalBytes(known.publicKey, publicKey)) return known.signature;
      return tools.create(keyId, publicKey, scriptCode, sigVersion);
    },
  };
}

const unsigned = (provider: SigningProvider, signing: SigningTx, index: number): SolvingTools => ({
  provider,
  hashes: signing.crypto,
  locks: locksOf(signing, index),
  create: () => null,
});

/**
 * Fills an input with dummy signatures of the right size, so that the size of the signed transaction can be estimated.
 */
export function dummySignPsbtInput(work: PsbtSigning, index: number): boolean {
  const script = work.signing.spent[index]?.script;
  if (work.later && script !== undefined) {
    // As in Core, final taproot scripts are not verified here, because that needs the spent outputs of all inputs.
    const known = isTaproot(script) ? unprovenOutcome(work.psbt.inputs[index], script, null) : outcomeOrHashType(work, index, script, null);
    if (typeof known !== 'number') return known.final;
  }
  return solveInput(work, index, dummyTools(EMPTY_PROVIDER, work.signing.crypto), { dummy: true, finalize: true }).final;
}

/**
 * Solves an input and stores the result.
 * @param checked solution that was already verified; the same result is not verified again
 */
function solveInput(
  work: PsbtSigning,
  index: number,
  tools: SolvingTools,
  { dummy, finalize }: { readonly dummy: boolean; readonly finalize: boolean },
  checked?: PresignedInput | null,
): InputOutcome {
  const { psbt, signing } = work;
  const input = psbt.inputs[index];
  if (!work.later && isFinal(input)) return { final: true, missing: null };
  const output = signing.spent[index];
  if (output === null) return { final: false, missing: null };
  const data = inputData(input);
  addKeyOrigins(data, input, tools.hashes);
  const solved = produceSignature(output.script, data, {
    ...tools,
    everyKey: true,
    preimage: (fragment, hash) => preimageIn(input, fragment, hash, tools.hashes),
  });
  // Require proof of the spent amount: the whole previous transaction, or segwit signatures, which commit to the
  // amount.
  if (input.nonWitnessUtxo === null && !data.wantsWitness) return { final: false, missing: null };
  const complete = solved && (dummy || isSame(data, checked) || verifies(signing, index, data));
  data.complete = complete && finalize;
  updateInputFields(input, data, tools.hashes);
  if (data.wantsWitness) input.witnessUtxo = output;
  if (data.complete && !dummy) work.proven.add(index);
  return { final: complete, missing: data.missing };
}

function isSame({ scriptSig, witness }: SignatureData, checked: PresignedInput | null | undefined): boolean {
  if (!checked || witness.length !== checked.witness.length || !equalBytes(scriptSig, checked.scriptSig)) return false;
  return witness.every((item, i) => equalBytes(item, checked.witness[i]));
}

function verifies(signing: SigningTx, index: number, { scriptSig, witness }: Pick<SignatureData, 'scriptSig' | 'witness'>): boolean {
  const output = signing.spent[index];
  if (output === null) return false;
  return verifyScript(scriptSig, output.script, witness, STANDARD_SCRIPT_FLAGS, locksOf(signing, index)) === ScriptError.OK;
}

/**
 * Removes previous transactions if they are not needed because every signature commits to all amounts (taproot without
 * ANYONECANPAY).
 */
export function dropUnneededTransactions(psbt: Psbt): void {
  const commits = ({ witnessUtxo, sighashType }: PsbtInput): boolean =>
    witnessUtxo !== null && witnessVersion(witnessUtxo.script) > 0 && ((sighashType ?? 0) & SIGHASH_ANYONECANPAY) === 0;
  if (psbt.inputs.every(commits)) for (const input of psbt.inputs) input.nonWitnessUtxo = null;
}

/** Adds an output's scripts and keys that the provider knows, for signers. */
export function updatePsbtOutput({ psbt, signing }: PsbtSigning, index: number, provider: SigningProvider): void {
  const output = psbt.outputs[index];
  const script = psbt.tx.outputScript(index);
  const data = outputData(output);
  addKeyOrigins(data, output, signing.crypto);
  produceSignature(script, data, { ...unsigned(provider, signing, 0), everyKey: true });
  updateOutputFields(output, data);
  // Reverse the leaves, because Core lists the right branch before the left one.
  const tree = script.length === 34 ? provider.taproot?.(script.subarray(2)) : undefined;
  if (tree && tree.leaves.length > 0) output.tapTree ??= encodeTapTree(tree.leaves.toReversed());
}
