// A partially signed transaction in memory (BIP-0174): plain records with maps. read-psbt.ts and create-psbt.ts create
// the records, the roles change them, encode-psbt.ts writes them. Maps are in the order of insertion. Code that shows
// or writes a map sorts it.
import type { KeyOrigin, OriginKey } from '../address/descriptor/expansion.js';
import { compareBytes, hashKey } from '../consensus/bytes/hex.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';

/** Field that this module does not interpret. */
export interface RawField {
  /** Key, including its type. */
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Signature and its public key. */
export interface PartialSig {
  /** 33 or 65 bytes. */
  readonly publicKey: Uint8Array;
  /** DER signature, followed by the hash type. */
  readonly signature: Uint8Array;
}

/** Signature of a key for one leaf. */
export interface TapScriptSig {
  /** x-only. */
  readonly publicKey: Uint8Array;
  readonly leafHash: Uint8Array;
  /** 64 bytes, or 65 with the hash type. */
  readonly signature: Uint8Array;
}

/** Taproot leaf script and its control block. */
export interface TapLeafScript {
  readonly controlBlock: Uint8Array;
  readonly script: Uint8Array;
  readonly leafVersion: number;
}

/** Origin of an x-only key, and the hashes of the leaves that contain the key. */
export interface TapKeyPath {
  readonly publicKey: Uint8Array;
  readonly leafHashes: readonly Uint8Array[];
  readonly origin: KeyOrigin;
}

/**
 * Fields of an input. Null or empty means that the field is absent. Keys of maps are hashKey of the value that the
 * map's comment names.
 */
export interface PsbtInput {
  nonWitnessUtxo: TxView | null;
  witnessUtxo: SpentOutput | null;
  /** Partial signatures by HASH160 of the public key. */
  readonly partialSigs: Map<string, PartialSig>;
  sighashType: number | null;
  redeemScript: Uint8Array;
  witnessScript: Uint8Array;
  /** Key origins by public key. */
  readonly keyPaths: Map<string, OriginKey>;
  finalScriptSig: Uint8Array;
  finalWitness: readonly Uint8Array[];
  tapKeySig: Uint8Array | null;
  /** Taproot script path signatures by public key and leaf hash. */
  readonly tapScriptSigs: Map<string, TapScriptSig>;
  /** Leaf scripts by control block (fieldKey). */
  readonly tapLeafScripts: Map<string, TapLeafScript>;
  /** Origins of taproot keys by x-only public key. */
  readonly tapKeyPaths: Map<string, TapKeyPath>;
  tapInternalKey: Uint8Array | null;
  tapMerkleRoot: Uint8Array | null;
  /** Version 2: sequence as given; null means the final sequence. */
  sequence: number | null;
  /** Version 2: smallest lock times that the input requires, as a time and as a height; null for none. */
  requiredTime: number | null;
  requiredHeight: number | null;
  /** Fields that this module does not interpret, by fieldKey of their key. */
  readonly unknown: Map<string, RawField>;
}

/** Map of one output. */
export interface PsbtOutput {
  redeemScript: Uint8Array;
  witnessScript: Uint8Array;
  readonly keyPaths: Map<string, OriginKey>;
  tapInternalKey: Uint8Array | null;
  /** Leaves as encoded by BIP-0371: depth, version, script with its size. */
  tapTree: Uint8Array | null;
  readonly tapKeyPaths: Map<string, TapKeyPath>;
  readonly unknown: Map<string, RawField>;
}

/** Global fields of version 2. */
export interface Version2 {
  fallbackLocktime: number | null;
  /** PSBT_GLOBAL_TX_MODIFIABLE: 1 inputs may change, 2 outputs may change, 4 some signature uses SIGHASH_SINGLE. */
  modifiable: number | null;
}

/** A partially signed transaction. */
export interface Psbt {
  /** Transaction without scriptSigs and witnesses. In version 2, the transaction that the PSBT's fields describe. */
  readonly tx: TxView;
  /** Global fields of version 2; null in version 0. */
  readonly version2: Version2 | null;
  /** Fields of each input of the transaction. */
  readonly inputs: PsbtInput[];
  readonly outputs: PsbtOutput[];
  readonly unknown: Map<string, RawField>;
}

const EMPTY = new Uint8Array(0);
/** Largest size of a field's key, bytes, that is used as a map key unchanged. Maps have the hash of longer keys. */
const PLAIN_KEY = 256;

/** Returns a map key for bytes of any length. */
export function fieldKey(bytes: Uint8Array, hashes: Hashes): string {
  return bytes.length <= PLAIN_KEY ? hashKey(bytes) : `sha256 ${hashKey(hashes.sha256(bytes))}`;
}

export function emptyInput(): PsbtInput {
  return {
    nonWitnessUtxo: null,
    witnessUtxo: null,
    partialSigs: new Map(),
    sighashType: null,
    redeemScript: EMPTY,
    witnessScript: EMPTY,
    keyPaths: new Map(),
    finalScriptSig: EMPTY,
    finalWitness: [],
    tapKeySig: null,
    tapScriptSigs: new Map(),
    tapLeafScripts: new Map(),
    tapKeyPaths: new Map(),
    tapInternalKey: null,
    tapMerkleRoot: null,
    sequence: null,
    requiredTime: null,
    requiredHeight: null,
    unknown: new Map(),
  };
}

export function emptyOutput(): PsbtOutput {
  return {
    redeemScript: EMPTY,
    witnessScript: EMPTY,
    keyPaths: new Map(),
    tapInternalKey: null,
    tapTree: null,
    tapKeyPaths: new Map(),
    unknown: new Map(),
  };
}

export function isFinal(input: PsbtInput): boolean {
  return input.finalScriptSig.length > 0 || input.finalWitness.length > 0;
}

/**
 * Returns the output that an input spends: from its previous transaction, otherwise from its witness UTXO; null if the
 * input has neither field.
 */
export function utxoOf(psbt: Psbt, index: number): SpentOutput | null {
  const { nonWitnessUtxo, witnessUtxo } = psbt.inputs[index];
  if (nonWitnessUtxo === null) return witnessUtxo;
  const at = psbt.tx.prevIndex(index);
  if (at >= nonWitnessUtxo.outputCount) return null;
  return { value: nonWitnessUtxo.outputValue(at), script: nonWitnessUtxo.outputScript(at) };
}

/** Sorts values by the bytes that `bytesOf` returns for each. */
export function sortedBy<T>(values: Iterable<T>, bytesOf: (value: T) => Uint8Array): T[] {
  return [...values].sort((a, b) => compareBytes(bytesOf(a), bytesOf(b)));
}
