// Interface for arithmetic on secp256k1 keys, for key derivation (BIP-0032), taproot outputs (BIP-0341), aggregated
// keys (BIP-0327) and signed messages. crypto/native/key-math.ts implements it; pure code receives it inside its
// context. Private keys are 32 bytes, big-endian. The caller owns and wipes them.

/**
 * Arithmetic on keys. Null means that the result does not exist: a number is out of range, a key is not a point on the
 * curve, or the result is the point at infinity.
 */
export interface KeyMath {
  /** Returns the public key. @param compressed 33 bytes instead of 65 */
  publicKey(secret: Uint8Array, compressed: boolean): Uint8Array | null;
  /** Returns secret + tweak modulo the group order, in a new array. */
  addToSecret(secret: Uint8Array, tweak: Uint8Array): Uint8Array | null;
  /** Returns point + tweak * G. @param publicKey 33 or 65 bytes @returns 33 bytes */
  addToPublic(publicKey: Uint8Array, tweak: Uint8Array): Uint8Array | null;
  /** Returns factor * point, 33 bytes. */
  multiplyPublic(publicKey: Uint8Array, factor: Uint8Array): Uint8Array | null;
  /** Returns the sum of points, 33 bytes; null for an empty list, a key that is no point, or the sum zero. */
  sumPublic(publicKeys: readonly Uint8Array[]): Uint8Array | null;
  /** Returns whether 33 or 65 bytes are a point on the curve. Hybrid keys (06, 07) are valid. */
  isPoint(publicKey: Uint8Array): boolean;
  /** Returns HMAC-SHA-512, 64 bytes. */
  hmacSha512(key: Uint8Array, data: Uint8Array): Uint8Array;
}

/** ECDSA signatures from which the public key can be recovered, for signed messages. */
export interface RecoverableSignatures {
  /**
   * Signs deterministically (RFC 6979) with low S.
   * @param message 32 bytes
   * @returns 64 bytes and the recovery id, 0 to 3
   */
  signRecoverable(secret: Uint8Array, message: Uint8Array): { signature: Uint8Array; recovery: number } | null;
  /** Recovers the public key. @returns null if no public key exists for the signature */
  recover(signature: Uint8Array, recovery: number, message: Uint8Array, compressed: boolean): Uint8Array | null;
}
