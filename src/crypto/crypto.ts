// The hashes and curve checks that the law needs, as records of functions. Pure code receives one of these inside its
// context and never imports an implementation; each thread's entry fills it once (crypto/native above the wall,
// crypto/pure below it).

/** An incremental SHA-256; `digest` ends it. */
export interface Sha256Stream {
  update(data: Uint8Array): Sha256Stream;
  /** @returns 32 bytes, a fresh array */
  digest(): Uint8Array;
}

/** Hash functions. Every result is a fresh array in the function's natural byte order. */
export interface Hashes {
  sha256(data: Uint8Array): Uint8Array;
  /** SHA-256 twice, the hash of blocks, transactions and most sighashes. */
  sha256d(data: Uint8Array): Uint8Array;
  /**
   * sha256d of each of `count` pieces of 64 bytes, the first at from[at]: a level of a hash tree. Results, 32 bytes
   * each, go to to[toAt] and on, which may lie in `from` at or before what they are made of.
   */
  sha256dPairs(from: Uint8Array, at: number, count: number, to: Uint8Array, toAt: number): void;
  sha1(data: Uint8Array): Uint8Array;
  ripemd160(data: Uint8Array): Uint8Array;
  /** RIPEMD-160 of SHA-256, 20 bytes. */
  hash160(data: Uint8Array): Uint8Array;
  /** A fresh SHA-256 stream, for hashing parts without joining them. */
  sha256Stream(): Sha256Stream;
  /** BIP-0340 tagged hash of the joined parts; tag midstates are kept by the implementation. */
  taggedHash(tag: string, ...parts: Uint8Array[]): Uint8Array;
}

/** sha256dPairs by a sha256d, pair by pair. */
export function pairByPair(sha256d: Hashes['sha256d']): Hashes['sha256dPairs'] {
  return (from, at, count, to, toAt) => {
    for (let i = 0; i < count; i++) to.set(sha256d(from.subarray(at + i * 64, at + i * 64 + 64)), toAt + i * 32);
  };
}

/** Checks on secp256k1. Malformed input gives false, never a throw. */
export interface Curve {
  /**
   * ECDSA over secp256k1. High S is accepted (normalised first), as consensus demands.
   * @param signature 64 bytes, r then s, big-endian
   * @param publicKey 33 or 65 bytes; hybrid keys (06, 07) count
   * @param message 32 bytes
   */
  ecdsaVerify(signature: Uint8Array, publicKey: Uint8Array, message: Uint8Array): boolean;
  /**
   * BIP-0340.
   * @param signature 64 bytes
   * @param publicKey x-only, 32 bytes
   * @param message 32 bytes on hot paths, any length otherwise
   */
  schnorrVerify(signature: Uint8Array, publicKey: Uint8Array, message: Uint8Array): boolean;
  /**
   * Whether output key = internal key + tweak * G with the given parity of y (BIP-0341).
   * @param outputKey x-only, 32 bytes
   * @param parity 0 even, 1 odd
   * @param internalKey x-only, 32 bytes
   * @param tweak 32 bytes
   */
  tapTweakCheck(outputKey: Uint8Array, parity: number, internalKey: Uint8Array, tweak: Uint8Array): boolean;
  /** Whether these 33 or 65 bytes are a point on the curve. */
  isPoint(publicKey: Uint8Array): boolean;
}

/** Everything the law asks of cryptography on one thread. */
export interface Crypto extends Hashes, Curve {
  /** Which libraries stand behind it, for the log and /metrics. */
  readonly backend: { readonly ecdsa: string; readonly schnorr: string; readonly hashes: string };
}
