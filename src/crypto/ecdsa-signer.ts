// Interface for making ECDSA signatures, for wallets and signing calls. crypto/native/sign.ts implements it; pure code
// receives it inside its context.

/** ECDSA signer of one thread. */
export interface EcdsaSigner {
  /**
   * Signs deterministically (RFC 6979) with low S and low R. While R has its top bit set, the nonce is derived again
   * with a counter as extra data, so every signature fits into 70 bytes of DER.
   * @param secret 32 bytes, big-endian
   * @param message 32 bytes
   * @returns 64 bytes, r then s; null if the secret is not a valid private key
   */
  signLowR(secret: Uint8Array, message: Uint8Array): Uint8Array | null;
}
