// A partially signed transaction in memory (BIP-0174): plain records with maps. Made by read-psbt.ts and
// create-psbt.ts, changed by the roles, written by encode-psbt.ts. Maps are in the order things came in; the code that
// shows or writes them sorts.
import type { KeyOrigin, OriginKey } from '../address/descriptor/expansion.js';
import { compareBytes, hashKey } from '../consensus/bytes/hex.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';

/** A field whose meaning is not known here, or is left to others. */
export interface RawField {
  /** With its type in front. */
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** A signature and whose it is. */
export interface PartialSig {
  /** 33 or 65 bytes. */
  readonly publicKey: Uint8Array;
  /** DER with the hash type behind. */
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

/** A leaf and the way to it. */
export interface TapLeafScript {
  readonly controlBlock: Uint8Array;
  readonly script: Uint8Array;
  readonly leafVersion: number;
}

/** Where an x-only key comes from and which leaves it signs for. */
export interface TapKeyPath {
  readonly publicKey: Uint8Array;
  readonly leafHashes: readonly Uint8Array[];
  readonly origin: KeyOrigin;
}

/** Fields of an input; null and empty mean absent. Map keys are hashKey of what the comment names. */
export interface PsbtInput {
  nonWitnessUtxo: TxView | null;
  witnessUtxo: SpentOutput | null;
  /** By HASH160 of the public key. */
  readonly partialSigs: Map<string, PartialSig>;
  sighashType: number | null;
  redeemScript: Uint8Array;
  witnessScript: Uint8Array;
  /** By public key. */
  readonly keyPaths: Map<string, OriginKey>;
  finalScriptSig: Uint8Array;
  finalWitness: readonly Uint8Array[];
  tapKeySig: Uint8Array | null;
  /** By public key and leaf hash. */
  readonly tapScriptSigs: Map<string, TapScriptSig>;
  /** By control block (and script: fieldKey). */
  readonly tapLeafScripts: Map<string, TapLeafScript>;
  /** By public key. */
  readonly tapKeyPaths: Map<string, TapKeyPath>;
  tapInternalKey: Uint8Array | null;
  tapMerkleRoot: Uint8Array | null;
  /** Version 2: as it was given; without one it is the final sequence. */
  sequence: number | null;
  /** Version 2: locks that the input wants of the transaction. */
  requiredTime: number | null;
  requiredHeight: number | null;
  /** By fieldKey of the key. */
  readonly unknown: Map<string, RawField>;
}

/** Fields of an output. */
export interface PsbtOutput {
  redeemScript: Uint8Array;
  witnessScript: Uint8Array;
  readonly keyPaths: Map<string, OriginKey>;
  tapInternalKey: Uint8Array | null;
  /** Leaves as BIP-0371 writes them: depth, version, script with its size. */
  tapTree: Uint8Array | null;
  readonly tapKeyPaths: Map<string, TapKeyPath>;
  readonly unknown: Map<string, RawField>;
}

/** What version 2 adds. */
export interface Version2 {
  fallbackLocktime: number | null;
  /** PSBT_GLOBAL_TX_MODIFIABLE: 1 inputs, 2 outputs may change, 4 there are signatures with SIGHASH_SINGLE. */
  modifiable: number | null;
}

/** A partially signed transaction. */
export interface Psbt {
  /** Without scriptSigs and witnesses; in version 2 the one that the fields describe. */
  readonly tx: TxView;
  /** Null in version 0. */
  readonly version2: Version2 | null;
  /** As many as the transaction has. */
  readonly inputs: PsbtInput[];
  readonly outputs: PsbtOutput[];
  readonly unknown: Map<string, RawField>;
}

const EMPTY = new Uint8Array(0);
/** Longer keys go into maps by their hash. */
const PLAIN_KEY = 256;

/** A map key for bytes of any length. */
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

/** Whether an input has its final scripts. */
export function isFinal(input: PsbtInput): boolean {
  return input.finalScriptSig.length > 0 || input.finalWitness.length > 0;
}

/**
 * The output that an input spends, as far as its fields tell: out of its previous transaction, else as given; null when
 * neither says.
 */
export function utxoOf(psbt: Psbt, index: number): SpentOutput | null {
  const { nonWitnessUtxo, witnessUtxo } = psbt.inputs[index];
  if (nonWitnessUtxo === null) return witnessUtxo;
  const at = psbt.tx.prevIndex(index);
  if (at >= nonWitnessUtxo.outputCount) return null;
  return { value: nonWitnessUtxo.outputValue(at), script: nonWitnessUtxo.outputScript(at) };
}

/** Values in the order of some bytes of theirs. */
export function sortedBy<T>(values: Iterable<T>, bytesOf: (value: T) => Uint8Array): T[] {
  return [...values].sort((a, b) => compareBytes(bytesOf(a), bytesOf(b)));
}
