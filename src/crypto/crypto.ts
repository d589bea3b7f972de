// Hashes and curve checks for consensus code, as records of functions. Pure code receives a record inside its context
// and never imports an implementation. Each thread's entry creates one (crypto/native in the node, crypto/pure.ts in
// pure code).

/** Incremental SHA-256. The object cannot be used after `digest`. */
export interface Sha256Stream {
  update(data: Uint8Array): Sha256Stream;
  /** Finishes the hash. @returns 32 bytes, a new array */
  digest(): Uint8Array;
}

/** Hash functions. Every result is a new array in the function's natural byte order. */
export interface Hashes {
  sha256(data: Uint8Array): Uint8Array;
  /** SHA-256 twice: the hash of blocks, transactions and most sighashes. */
  sha256d(data: Uint8Array): Uint8Array;
  /**
   * Computes sha256d of each of `count` pieces of 64 bytes, starting at from[at]: one level of a hash tree. Writes
   * results of 32 bytes each from to[toAt] on. The results may overwrite `from`, but only at or before the pieces that
   * they are computed from.
   */
  sha256dPairs(from: Uint8Array, at: number, count: number, to: Uint8Array, toAt: number): void;
  /**
   * Computes sha256d of the joined pieces of `from`, and writes the 32 bytes to to[toAt].
   * @param pieces start and end of each piece
   * @param count number of pieces
   */
  sha256dPieces(from: Uint8Array, pieces: Int32Array, count: number, to: Uint8Array, toAt: number): void;
  /**
   * Follows a branch of a hash tree from a leaf to the root: hash = sha256d(hash | sibling) for each sibling.
   * @param hash 32 bytes: the leaf, which the root replaces
   * @param siblings 32 bytes each, as words in the machine's byte order, lowest first
   */
  sha256dPath(hash: Uint8Array, siblings: Uint32Array): void;
  sha1(data: Uint8Array): Uint8Array;
  ripemd160(data: Uint8Array): Uint8Array;
  /** RIPEMD-160 of SHA-256, 20 bytes. */
  hash160(data: Uint8Array): Uint8Array;
  /** Returns a new SHA-256 stream, for hashing parts without joining them. */
  sha256Stream(): Sha256Stream;
  /** BIP-0340 tagged hash of the joined parts. Implementations cache the midstate of each tag. */
  taggedHash(tag: string, ...parts: Uint8Array[]): Uint8Array;
}

/** Implements sha256dPairs by calling sha256d for each pair. */
export function pairByPair(sha256d: Hashes['sha256d']): Hashes['sha256dPairs'] {
  return (from, at, count, to, toAt) => {
    for (let i = 0; i < count; i++) to.set(sha256d(from.subarray(at + i * 64, at + i * 64 + 64)), toAt + i * 32);
  };
}

/** Implements sha256dPath by calling sha256d for each step. */
export function stepByStep(sha256d: Hashes['sha256d']): Hashes['sha256dPath'] {
  return (hash, siblings) => {
    const bytes = new Uint8Array(siblings.buffer, siblings.byteOffset, siblings.byteLength);
    const pair = new Uint8Array(64);
    for (let at = 0; at < bytes.length; at += 32) {
      pair.set(hash);
      pair.set(bytes.subarray(at, at + 32), 32);
      hash.set(sha256d(pair));
    }
  };
}

/** Implements sha256dPieces by joining the pieces. */
export function pieceByPiece(sha256d: Hashes['sha256d']): Hashes['sha256dPieces'] {
  return (from, pieces, count, to, toAt) => to.set(sha256d(joinPieces(from, pieces, count)), toAt);
}

/** Returns the joined pieces of `from`. @param pieces start and end of each piece @param count number of pieces */
export function joinPieces(from: Uint8Array, pieces: Int32Array, count: number): Uint8Array {
  let length = 0;
  for (let i = 0; i < 2 * count; i += 2) length += pieces[i + 1] - pieces[i];
  const joined = new Uint8Array(length);
  for (let i = 0, at = 0; i < 2 * count; i += 2) {
    joined.set(from.subarray(pieces[i], pieces[i + 1]), at);
    at += pieces[i + 1] - pieces[i];
  }
  return joined;
}

/** Checks on secp256k1. Malformed input gives false, never an exception. */
export interface Curve {
  /**
   * Verifies an ECDSA signature. High S is accepted (and normalised first), as consensus requires.
   * @param signature 64 bytes, r then s, big-endian
   * @param publicKey 33 or 65 bytes; hybrid keys (06, 07) are valid
   * @param message 32 bytes
   */
  ecdsaVerify(signature: Uint8Array, publicKey: Uint8Array, message: Uint8Array): boolean;
  /**
   * Verifies a BIP-0340 signature.
   * @param signature 64 bytes
   * @param publicKey x-only, 32 bytes
   * @param message any length; 32 bytes is fastest
   */
  schnorrVerify(signature: Uint8Array, publicKey: Uint8Array, message: Uint8Array): boolean;
  /**
   * Returns whether output key = internal key + tweak * G with the given parity of y (BIP-0341).
   * @param outputKey x-only, 32 bytes
   * @param parity 0 even, 1 odd
   * @param internalKey x-only, 32 bytes
   * @param tweak 32 bytes
   */
  tapTweakCheck(outputKey: Uint8Array, parity: number, internalKey: Uint8Array, tweak: Uint8Array): boolean;
  /** Returns whether these 33 or 65 bytes are a point on the curve. */
  isPoint(publicKey: Uint8Array): boolean;
}

/** Cryptography for consensus code on one thread. */
export interface Crypto extends Hashes, Curve {
  /** Names of the libraries in use, for the log and /metrics. */
  readonly backend: { readonly ecdsa: string; readonly schnorr: string; readonly hashes: string };
}
