// ChaCha20-Poly1305 (RFC 8439) as a pair of functions: what the Noise protocol needs besides hashes and key exchange.
// Filled by crypto/native/aead.ts; pure code receives it inside its context.

/** Bytes that tell whether a text is as it was sealed. */
export const AEAD_TAG_BYTES = 16;

/** The nonce is 4 zero bytes and the counter as a little-endian 64-bit number, as Noise has it. */
export interface Aead {
  /**
   * Writes the ciphertext and its tag.
   * @param key 32 bytes
   * @param counter a safe integer
   * @param ad bytes that are not sent, but must be the same at the other end
   * @param out where `plain.length` + 16 bytes go, from `at` on; may not overlap `plain`
   */
  seal(key: Uint8Array, counter: number, ad: Uint8Array, plain: Uint8Array, out: Uint8Array, at: number): void;
  /**
   * @param sealed ciphertext and tag, at least 16 bytes
   * @returns what was sealed, null when it was changed on the way
   */
  open(key: Uint8Array, counter: number, ad: Uint8Array, sealed: Uint8Array): Uint8Array | null;
}
