// Making ECDSA signatures, as a record of functions: what wallets and signing calls need beyond the checks in
// crypto.ts. Filled by crypto/native/sign.ts; pure code receives it inside its context.

/** Signs for one thread. */
export interface EcdsaSigner {
  /**
   * Deterministic (RFC 6979) with low S and low R: while R has its top bit set, the nonce is made anew with a counter
   * as extra data, so that every signature fits into 70 bytes of DER.
   * @param secret 32 bytes, big-endian
   * @param message 32 bytes
   * @returns 64 bytes, r then s; null when the secret is no private key
   */
  signLowR(secret: Uint8Array, message: Uint8Array): Uint8Array | null;
}
