// ChaCha20-Poly1305 by node:crypto. Each thread that encrypts connections calls createAead once.
import crypto from 'node:crypto';
import { AEAD_TAG_BYTES, type Aead } from '../aead.js';

const NAME = 'chacha20-poly1305';
const OPTIONS = { authTagLength: AEAD_TAG_BYTES } as const;
/** Option that the type declarations of node:crypto require. This cipher ignores it. */
const NO_LENGTH = { plaintextLength: 0 };
const TWO_32 = 0x1_0000_0000;

export function createAead(): Aead {
  const nonce = new Uint8Array(12);
  const view = new DataView(nonce.buffer);
  const nonceOf = (counter: number): Uint8Array => {
    view.setUint32(4, counter % TWO_32, true);
    view.setUint32(8, Math.floor(counter / TWO_32), true);
    return nonce;
  };
  return {
    seal: (key, counter, ad, plain, out, at) => {
      const cipher = crypto.createCipheriv(NAME, key, nonceOf(counter), OPTIONS);
      if (ad.length > 0) cipher.setAAD(ad, NO_LENGTH);
      out.set(cipher.update(plain), at);
      cipher.final();
      out.set(cipher.getAuthTag(), at + plain.length);
    },
    open: (key, counter, ad, sealed) => {
      const end = sealed.length - AEAD_TAG_BYTES;
      if (end < 0) return null;
      const cipher = crypto.createDecipheriv(NAME, key, nonceOf(counter), OPTIONS);
      if (ad.length > 0) cipher.setAAD(ad, NO_LENGTH);
      cipher.setAuthTag(sealed.subarray(end));
      const plain = cipher.update(sealed.subarray(0, end));
      try {
        cipher.final();
      } catch {
        return null;
      }
      // Return a plain array, because a Buffer's slice() is a view and not a copy.
      return new Uint8Array(plain.buffer, plain.byteOffset, plain.length);
    },
  };
}
