// Ciphers of BIP-0324: a key stream for lengths and authenticated encryption for contents. The key changes after 224
// uses, so that a leaked key does not decrypt earlier traffic. Implemented with node:crypto.
import crypto, { type Cipher } from 'node:crypto';

/** Number of lengths or packets encrypted with one key. */
const REKEY_INTERVAL = 224;
export const KEY_BYTES = 32;
/** Bytes of the authentication tag. */
export const TAG_BYTES = 16;
const NONCE_BYTES = 12;
/** Replaces the packet's number in the nonce of the key change. */
const REKEY_NUMBER = 0xffffffff;
const zeros = new Uint8Array(KEY_BYTES);
const aead = 'chacha20-poly1305';
const options = { authTagLength: TAG_BYTES } as const;
/** Options that the type of setAAD() requires. Only CCM ciphers use the length. */
const noLength = { plaintextLength: 0 };

/** FSChaCha20: encrypts and decrypts lengths with the same operation. */
export class LengthCipher {
  #stream: Cipher;
  #used = 0;
  #epoch = 0n;

  /** @param key 32 bytes */
  constructor(key: Uint8Array) {
    this.#stream = this.#open(key);
  }

  /** Returns the chunk combined with the key stream. @param chunk has the same length as the other side's each time */
  crypt(chunk: Uint8Array): Uint8Array {
    const out = this.#stream.update(chunk);
    if (++this.#used === REKEY_INTERVAL) {
      const key = this.#stream.update(zeros);
      this.#epoch++;
      this.#used = 0;
      this.#stream = this.#open(key);
      key.fill(0);
    }
    return out;
  }

  /** Creates a key stream. Node.js takes 16 bytes: a block counter of four (zero here) and the nonce. */
  #open(key: Uint8Array): Cipher {
    const nonce = Buffer.alloc(16);
    nonce.writeBigUInt64LE(this.#epoch, 8);
    return crypto.createCipheriv('chacha20', key, nonce);
  }
}

/** FSChaCha20Poly1305: encrypts or decrypts, packet by packet. */
export class ContentsCipher {
  readonly #key: Uint8Array;
  readonly #nonce = Buffer.alloc(NONCE_BYTES);
  #used = 0;
  #epoch = 0n;

  /** @param key 32 bytes; copied */
  constructor(key: Uint8Array) {
    this.#key = key.slice();
  }

  /**
   * Encrypts the parts as one text.
   * @param aad bytes that are authenticated but not sent
   * @returns as many bytes as the parts have, then the tag of 16
   */
  encrypt(aad: Uint8Array, parts: readonly Uint8Array[]): Uint8Array[] {
    const cipher = crypto.createCipheriv(aead, this.#key, this.#nextNonce(), options).setAAD(aad, noLength);
    const out: Uint8Array[] = parts.map((part) => cipher.update(part));
    cipher.final();
    out.push(cipher.getAuthTag());
    this.#advance();
    return out;
  }

  /**
   * Decrypts a packet.
   * @param bytes a packet with its tag
   * @returns the plaintext; null if the packet was changed. Never a Buffer, whose slice() is a view: keeping a hash of
   * a message would keep the whole message
   */
  decrypt(aad: Uint8Array, bytes: Uint8Array): Uint8Array | null {
    const end = bytes.length - TAG_BYTES;
    if (end < 0) return null;
    const cipher = crypto.createDecipheriv(aead, this.#key, this.#nextNonce(), options).setAAD(aad, noLength);
    cipher.setAuthTag(bytes.subarray(end));
    const plain = cipher.update(bytes.subarray(0, end));
    try {
      cipher.final();
    } catch {
      return null;
    }
    this.#advance();
    return new Uint8Array(plain.buffer, plain.byteOffset, plain.length);
  }

  /** Overwrites the key. */
  wipe(): void {
    this.#key.fill(0);
  }

  #nextNonce(number = this.#used): Buffer {
    this.#nonce.writeUInt32LE(number, 0);
    this.#nonce.writeBigUInt64LE(this.#epoch, 4);
    return this.#nonce;
  }

  #advance(): void {
    if (++this.#used < REKEY_INTERVAL) return;
    const key = crypto.createCipheriv(aead, this.#key, this.#nextNonce(REKEY_NUMBER), options).update(zeros);
    this.#key.set(key);
    key.fill(0);
    this.#used = 0;
    this.#epoch++;
  }
}
