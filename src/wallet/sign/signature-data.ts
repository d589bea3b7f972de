// What is known of one input's signatures while it is signed: what it carries, what was found in it and what was made. Filled by
// extract-signatures.ts and produce-signature.ts. Core: script/sign.h SignatureData.

/** A signature and the key it is of. */
export interface KeySignature {
  /** 33 or 65 bytes. */
  readonly publicKey: Uint8Array;
  /** DER with the hash type behind. */
  readonly signature: Uint8Array;
}

/** State of one input. */
export interface SignatureData {
  /** Whether scriptSig and witness satisfy the output; nothing is changed any more then. */
  complete: boolean;
  scriptSig: Uint8Array;
  /** Stack items, bottom first. */
  witness: readonly Uint8Array[];
  /** Found in the input or used for it. */
  redeemScript: Uint8Array | null;
  witnessScript: Uint8Array | null;
  /** By hashKey of the key's HASH160; the first one of a key stays. */
  readonly signatures: Map<string, KeySignature>;
}

const EMPTY = new Uint8Array(0);

export function emptySignatureData(): SignatureData {
  return { complete: false, scriptSig: EMPTY, witness: [], redeemScript: null, witnessScript: null, signatures: new Map() };
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
