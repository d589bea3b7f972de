// Arithmetic on secp256k1 keys, as a record of functions: what key derivation (BIP-0032), taproot outputs (BIP-0341),
// aggregated keys (BIP-0327) and signed messages need beyond the law's checks in crypto.ts. Filled by
// crypto/native/key-math.ts; pure code receives it inside its context. Secrets are 32 bytes, big-endian, and belong to
// the caller, who wipes them.

/**
 * Keys and their sums. Null stands for a result that does not exist: a number out of range, no point, the point at
 * infinity.
 */
export interface KeyMath {
  /** The public key of a secret. @param compressed 33 bytes instead of 65 */
  publicKey(secret: Uint8Array, compressed: boolean): Uint8Array | null;
  /** Secret + tweak modulo the group order, a fresh array. */
  addToSecret(secret: Uint8Array, tweak: Uint8Array): Uint8Array | null;
  /** Point + tweak * G. @param publicKey 33 or 65 bytes @returns 33 bytes */
  addToPublic(publicKey: Uint8Array, tweak: Uint8Array): Uint8Array | null;
  /** Factor * point. @returns 33 bytes */
  multiplyPublic(publicKey: Uint8Array, factor: Uint8Array): Uint8Array | null;
  /** The sum of points. @returns 33 bytes */
  sumPublic(publicKeys: readonly Uint8Array[]): Uint8Array | null;
  /** Whether 33 or 65 bytes are a point on the curve; hybrid keys (06, 07) count. */
  isPoint(publicKey: Uint8Array): boolean;
  /** HMAC-SHA-512. @returns 64 bytes */
  hmacSha512(key: Uint8Array, data: Uint8Array): Uint8Array;
}

/** ECDSA signatures from which the key can be computed, for signed messages. */
export interface RecoverableSignatures {
  /**
   * Deterministic (RFC 6979), low S.
   * @param message 32 bytes
   * @returns 64 bytes and which of the possible keys it was, 0 to 3
   */
  signRecoverable(secret: Uint8Array, message: Uint8Array): { signature: Uint8Array; recovery: number } | null;
  /** @returns the public key, null when the signature is of no key */
  recover(signature: Uint8Array, recovery: number, message: Uint8Array, compressed: boolean): Uint8Array | null;
}
