// The ciphers of BIP-0324: a key stream for lengths and authenticated encryption for contents, each with a new key
// after 224 uses, so that a leaked key does not decrypt earlier traffic. By node:crypto.
import crypto, { type Cipher } from 'node:crypto';

/** Lengths or packets with one key. */
const REKEY_INTERVAL = 224;
export const KEY_BYTES = 32;
/** Bytes that tell whether a packet is as it was sent. */
export const TAG_BYTES = 16;
const NONCE_BYTES = 12;
/** In place of the packet's number: the nonce of the next key. */
const REKEY_NUMBER = 0xffffffff;
const zeros = new Uint8Array(KEY_BYTES);
const aead = 'chacha20-poly1305';
const options = { authTagLength: TAG_BYTES } as const;
/** Its type wants it; only another cipher uses it. */
const noLength = { plaintextLength: 0 };

/** FSChaCha20: encrypts and decrypts lengths alike. */
export class LengthCipher {
  #stream: Cipher;
  #used = 0;
  #epoch = 0n;

  /** @param key 32 bytes */
  constructor(key: Uint8Array) {
    this.#stream = this.#open(key);
  }

  /** The chunk combined with the key stream. @param chunk as long each time as the other side's */
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

  /** A stream from its beginning: node's 16 bytes are a block counter of four, zero here, and the nonce. */
  #open(key: Uint8Array): Cipher {
    const nonce = Buffer.alloc(16);
    nonce.writeBigUInt64LE(this.#epoch, 8);
    return crypto.createCipheriv('chacha20', key, nonce);
  }
}

/** FSChaCha20Poly1305: either encrypts or decrypts, packet by packet. */
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
   * Encrypts the parts as one.
   * @param aad bytes that are not sent, but must be the same at the other end
   * @returns as many bytes as the parts have, and the tag's 16
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
   * @param bytes a packet with its tag
   * @returns what was encrypted, null when it was changed on the way; never a Buffer, whose slice() is a view: who
   * keeps a hash or an address
   *   of a message would keep the message
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
