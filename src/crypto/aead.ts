// ChaCha20-Poly1305 (RFC 8439) as a record of functions, for the Noise protocol. Pure code receives it inside its
// context; crypto/native/aead.ts implements it.

/** Size of the authentication tag, bytes. */
export const AEAD_TAG_BYTES = 16;

/**
 * Authenticated encryption. The nonce is 4 zero bytes and the counter as a little-endian 64-bit number, as in Noise.
 */
export interface Aead {
  /**
   * Encrypts and writes the ciphertext, followed by its tag.
   * @param key 32 bytes
   * @param counter a safe integer
   * @param ad associated data: not sent, but must be equal at the other end
   * @param out receives `plain.length` + 16 bytes from `at` on; must not overlap `plain`
   */
  seal(key: Uint8Array, counter: number, ad: Uint8Array, plain: Uint8Array, out: Uint8Array, at: number): void;
  /**
   * Decrypts.
   * @param sealed ciphertext and tag, at least 16 bytes
   * @returns the plaintext; null if the data or `ad` were changed
   */
  open(key: Uint8Array, counter: number, ad: Uint8Array, sealed: Uint8Array): Uint8Array | null;
}
