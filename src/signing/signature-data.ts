// What is known of one input's signatures while it is signed: what it carries, what was found in it and what was made.
// Filled by extract-signatures.ts and produce-signature.ts. Core: script/sign.h SignatureData.
import type { OriginKey } from '../address/descriptor/expansion.js';
import { hashKey } from '../consensus/bytes/hex.js';

/** A signature and the key it is of. */
export interface KeySignature {
  /** 33 or 65 bytes. */
  readonly publicKey: Uint8Array;
  /** DER with the hash type behind. */
  readonly signature: Uint8Array;
}

/** A script path and how to show that the output commits to it. */
export interface SpendableLeaf {
  readonly script: Uint8Array;
  readonly leafVersion: number;
  readonly controlBlock: Uint8Array;
}

/** A Schnorr signature for a leaf. */
export interface LeafSignature {
  /** x-only. */
  readonly publicKey: Uint8Array;
  readonly leafHash: Uint8Array;
  /** 64 bytes, or 65 with the hash type. */
  readonly signature: Uint8Array;
}

/** A key of a taproot output and what it signs for. */
export interface TaprootKey {
  /** x-only. */
  readonly publicKey: Uint8Array;
  /** By hashKey; none for a key that is no leaf's. */
  readonly leafHashes: Map<string, Uint8Array>;
  readonly origin: OriginKey['origin'];
}

/** What is known of a taproot output. */
export interface TaprootData {
  /** x-only. */
  internalKey: Uint8Array | null;
  merkleRoot: Uint8Array | null;
  keySignature: Uint8Array | null;
  /** By leafKey. */
  readonly leaves: Map<string, SpendableLeaf>;
  /** By hashKey of public key and leaf hash. */
  readonly leafSignatures: Map<string, LeafSignature>;
  /** By hashKey of the public key. */
  readonly keys: Map<string, TaprootKey>;
}

/** What a solution would have needed and did not find: HASH160 of keys, the hash that names a script. */
export interface Missing {
  readonly publicKeys: Uint8Array[];
  readonly signatures: Uint8Array[];
  redeemScript: Uint8Array | null;
  /** The program, 32 bytes. */
  witnessScript: Uint8Array | null;
}

/** State of one input. */
export interface SignatureData {
  /** Whether scriptSig and witness satisfy the output; nothing is changed any more then. */
  complete: boolean;
  scriptSig: Uint8Array;
  /** Stack items, bottom first. */
  witness: readonly Uint8Array[];
  /** Whether the output turned out to want a witness, so that signatures commit to its amount. */
  wantsWitness: boolean;
  /** Found in the input or used for it. */
  redeemScript: Uint8Array | null;
  witnessScript: Uint8Array | null;
  /** By hashKey of the key's HASH160; the first one of a key stays. */
  readonly signatures: Map<string, KeySignature>;
  /** Keys with their origins, by hashKey of HASH160; for PSBTs only. */
  readonly keys: Map<string, OriginKey>;
  /** Null until the output is known to be one. */
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

/** Bytes of one string: engines bound the arguments of a call. */
const CHUNK = 8192;

/** The map key of a leaf. */
export function leafKey({ controlBlock, script }: SpendableLeaf): string {
  let key = `${hashKey(controlBlock)}/`;
  for (let at = 0; at < script.length; at += CHUNK) key += hashKey(script.subarray(at, at + CHUNK));
  return key;
}

/** What two versions of an input know together: a complete one wins whole, else the first one's answers come first. */
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
