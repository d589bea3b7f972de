// Data about one input while it is signed: the scripts and signatures that it had, and those that the signer found or
// made. Core: script/sign.h SignatureData.
import type { OriginKey } from '../address/descriptor/expansion.js';
import { hashKey } from '../consensus/bytes/hex.js';

/** ECDSA signature with the public key that it verifies against. */
export interface KeySignature {
  /** 33 or 65 bytes. */
  readonly publicKey: Uint8Array;
  /** DER signature, followed by the hash type. */
  readonly signature: Uint8Array;
}

/** Script path, with the proof that the output commits to it. */
export interface SpendableLeaf {
  readonly script: Uint8Array;
  readonly leafVersion: number;
  readonly controlBlock: Uint8Array;
}

/** Schnorr signature of one key for one tapscript leaf. */
export interface LeafSignature {
  /** x-only. */
  readonly publicKey: Uint8Array;
  readonly leafHash: Uint8Array;
  /** 64 bytes, or 65 with the hash type. */
  readonly signature: Uint8Array;
}

/** Key of a taproot output, and the leaves it signs for. */
export interface TaprootKey {
  /** x-only. */
  readonly publicKey: Uint8Array;
  /** Leaf hashes by hashKey; empty for a key that is in no leaf. */
  readonly leafHashes: Map<string, Uint8Array>;
  readonly origin: OriginKey['origin'];
}

/** Data about a taproot output. */
export interface TaprootData {
  /** x-only, 32 bytes; null if unknown. */
  internalKey: Uint8Array | null;
  merkleRoot: Uint8Array | null;
  keySignature: Uint8Array | null;
  /** Leaves that can be spent, by leafKey. */
  readonly leaves: Map<string, SpendableLeaf>;
  /** Signatures for leaves, by hashKey of public key and leaf hash. */
  readonly leafSignatures: Map<string, LeafSignature>;
  /** Keys with their origins and leaves, by hashKey of the public key. */
  readonly keys: Map<string, TaprootKey>;
}

/** Keys (by HASH160), signatures and scripts (by hash) that the solver needed and did not find. */
export interface Missing {
  readonly publicKeys: Uint8Array[];
  readonly signatures: Uint8Array[];
  redeemScript: Uint8Array | null;
  /** Witness program, 32 bytes. */
  witnessScript: Uint8Array | null;
}

/** Data about one input. */
export interface SignatureData {
  /** True if scriptSig and witness satisfy the output. The solver then changes nothing any more. */
  complete: boolean;
  scriptSig: Uint8Array;
  /** Stack items, bottom first. */
  witness: readonly Uint8Array[];
  /** True if the output needs a witness, so that signatures commit to its amount. */
  wantsWitness: boolean;
  /** Redeem script that was found in the input or used for it. */
  redeemScript: Uint8Array | null;
  witnessScript: Uint8Array | null;
  /** Signatures by hashKey of the key's HASH160. The first signature of a key is kept, later ones are ignored. */
  readonly signatures: Map<string, KeySignature>;
  /** Keys with their origins, by hashKey of HASH160; only for PSBTs. */
  readonly keys: Map<string, OriginKey>;
  /** Taproot data; null until the output is known to be taproot. */
  taproot: TaprootData | null;
  readonly missing: Missing;
}

const EMPTY = new Uint8Array(0);

export function emptySignatureData(): SignatureData {
  return {
    complete: false,
    scriptSig: EMPTY,
    witness: [],
    wantsWitness: false,
    redeemScript: null,
    witnessScript: null,
    signatures: new Map(),
    keys: new Map(),
    taproot: null,
    missing: { publicKeys: [], signatures: [], redeemScript: null, witnessScript: null },
  };
}

export function emptyTaproot(): TaprootData {
  return { internalKey: null, merkleRoot: null, keySignature: null, leaves: new Map(), leafSignatures: new Map(), keys: new Map() };
}

/** Number of bytes that are converted to a string at once, because engines limit the number of arguments of a call. */
const CHUNK = 8192;

/** Returns the key of a leaf in TaprootData.leaves. */
export function leafKey({ controlBlock, script }: SpendableLeaf): string {
  let key = `${hashKey(controlBlock)}/`;
  for (let at = 0; at < script.length; at += CHUNK) key += hashKey(script.subarray(at, at + CHUNK));
  return key;
}

/**
 * Merges the data of two versions of an input. If one version is complete, it is the result. Otherwise values of the
 * first version take precedence.
 */
export function mergeSignatureData(first: SignatureData, second: SignatureData): SignatureData {
  if (first.complete) return first;
  if (second.complete) return second;
  const signatures = new Map(first.signatures);
  for (const [key, signature] of second.signatures) if (!signatures.has(key)) signatures.set(key, signature);
  return {
    ...first,
    redeemScript: first.redeemScript ?? second.redeemScript,
    witnessScript: first.witnessScript ?? second.witnessScript,
    signatures,
  };
}
