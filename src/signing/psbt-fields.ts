// Converts between fields of a PSBT and the data of the solver. Core: psbt.h FillSignatureData, FromSignatureData.
import type { Fragment } from '../address/miniscript/fragment.js';
import { equalBytes, hashKey } from '../consensus/bytes/hex.js';
import type { Hashes } from '../crypto/crypto.js';
import { fieldKey, IN, type PsbtInput, type PsbtOutput, type TapKeyPath } from '../psbt/index.js';
import { emptySignatureData, emptyTaproot, leafKey, type SignatureData, type TaprootData, type TaprootKey } from './signature-data.js';

const EMPTY = new Uint8Array(0);

/** Returns the data of an input that is not final. */
export function inputData(input: PsbtInput): SignatureData {
  const data = emptySignatureData();
  for (const [id, signature] of input.partialSigs) data.signatures.set(id, signature);
  return { ...data, ...scriptsOf(input), taproot: taprootOf(input) };
}

/** Adds keys with their origins, by HASH160. */
export function addKeyOrigins(data: SignatureData, from: Pick<PsbtInput, 'keyPaths'>, hashes: Hashes): void {
  for (const key of from.keyPaths.values()) data.keys.set(hashKey(hashes.hash160(key.publicKey)), key);
}

function scriptsOf({ redeemScript, witnessScript }: Pick<PsbtInput, 'redeemScript' | 'witnessScript'>) {
  return { redeemScript: redeemScript.length > 0 ? redeemScript : null, witnessScript: witnessScript.length > 0 ? witnessScript : null };
}

function taprootOf(input: PsbtInput): TaprootData {
  const taproot = emptyTaproot();
  taproot.internalKey = input.tapInternalKey;
  taproot.merkleRoot = input.tapMerkleRoot;
  taproot.keySignature = input.tapKeySig;
  for (const leaf of input.tapLeafScripts.values()) taproot.leaves.set(leafKey(leaf), leaf);
  for (const [key, signature] of input.tapScriptSigs) taproot.leafSignatures.set(key, signature);
  readTapKeys(taproot, input.tapKeyPaths);
  return taproot;
}

function readTapKeys(taproot: TaprootData, paths: ReadonlyMap<string, TapKeyPath>): void {
  for (const [id, { publicKey, leafHashes, origin }] of paths) {
    taproot.keys.set(id, { publicKey, origin, leafHashes: new Map(leafHashes.map((hash) => [hashKey(hash), hash])) });
  }
}

/** Stores the solver's results in an input. A complete input keeps only its final scripts. */
export function updateInputFields(input: PsbtInput, data: SignatureData, hashes: Hashes): void {
  if (data.complete) {
    input.partialSigs.clear();
    input.keyPaths.clear();
    input.redeemScript = EMPTY;
    input.witnessScript = EMPTY;
    input.finalScriptSig = data.scriptSig;
    input.finalWitness = data.witness;
    return;
  }
  for (const [id, signature] of data.signatures) if (!input.partialSigs.has(id)) input.partialSigs.set(id, signature);
  updateScripts(input, data);
  const { taproot } = data;
  if (taproot === null) return;
  input.tapKeySig ??= taproot.keySignature;
  input.tapInternalKey ??= taproot.internalKey;
  input.tapMerkleRoot ??= taproot.merkleRoot;
  for (const leaf of taproot.leaves.values()) {
    const key = fieldKey(leaf.controlBlock, hashes);
    if (!input.tapLeafScripts.has(key)) input.tapLeafScripts.set(key, leaf);
  }
  for (const [key, signature] of taproot.leafSignatures) input.tapScriptSigs.set(key, signature);
  addTapKeyPaths(input, taproot);
}

/** Adds missing key paths. Keeps existing ones unchanged, even if more leaves are known now. */
function addTapKeyPaths(into: Pick<PsbtInput, 'tapKeyPaths'>, { keys }: TaprootData): void {
  for (const [id, key] of keys) if (!into.tapKeyPaths.has(id)) into.tapKeyPaths.set(id, tapKeyPath(key));
}

function updateScripts(into: Pick<PsbtInput, 'redeemScript' | 'witnessScript' | 'keyPaths'>, data: SignatureData): void {
  if (into.redeemScript.length === 0 && data.redeemScript) into.redeemScript = data.redeemScript;
  if (into.witnessScript.length === 0 && data.witnessScript) into.witnessScript = data.witnessScript;
  for (const key of data.keys.values()) {
    const id = hashKey(key.publicKey);
    if (!into.keyPaths.has(id)) into.keyPaths.set(id, key);
  }
}

const tapKeyPath = ({ publicKey, leafHashes, origin }: TaprootKey): TapKeyPath => ({
  publicKey,
  leafHashes: [...leafHashes.values()],
  origin,
});

/** Returns the scripts and keys that a PSBT output already contains, as the solver reads them. */
export function outputData(output: PsbtOutput): SignatureData {
  const taproot = emptyTaproot();
  taproot.internalKey = output.tapInternalKey;
  readTapKeys(taproot, output.tapKeyPaths);
  return { ...emptySignatureData(), ...scriptsOf(output), taproot };
}

/** Stores, in a PSBT output, the scripts and keys that solving the output script has found. */
export function updateOutputFields(output: PsbtOutput, data: SignatureData): void {
  updateScripts(output, data);
  const { taproot } = data;
  if (taproot === null) return;
  output.tapInternalKey ??= taproot.internalKey;
  addTapKeyPaths(output, taproot);
}

const PREIMAGES: Partial<Record<Fragment, number>> = {
  ripemd160: IN.RIPEMD160,
  sha256: IN.SHA256,
  hash160: IN.HASH160,
  hash256: IN.HASH256,
};

/** Returns the preimage of a hash from an input's fields, after checking that the preimage has this hash. */
export function preimageIn(input: PsbtInput, fragment: Fragment, hash: Uint8Array, hashes: Hashes): Uint8Array | undefined {
  const type = PREIMAGES[fragment];
  if (type === undefined) return undefined;
  const found = input.unknown.get(fieldKey(Uint8Array.of(type, ...hash), hashes))?.value;
  return found && equalBytes(digest(fragment, found, hashes), hash) ? found : undefined;
}

function digest(fragment: Fragment, data: Uint8Array, hashes: Hashes): Uint8Array {
  switch (fragment) {
    case 'ripemd160':
      return hashes.ripemd160(data);
    case 'sha256':
      return hashes.sha256(data);
    case 'hash160':
      return hashes.hash160(data);
    default:
      return hashes.sha256d(data);
  }
}
