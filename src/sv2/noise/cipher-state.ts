// Symmetric state of a handshake, and its key derivation (Noise specification, 5.1 and 5.2; Stratum V2 specification,
// 4.5), with SHA-256 and ChaCha20-Poly1305. noise/responder.ts knows the messages.
import { AEAD_TAG_BYTES, type Aead } from '../../crypto/aead.js';
import type { Hashes } from '../../crypto/crypto.js';

const BLOCK_BYTES = 64;
const KEY_BYTES = 32;

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** HMAC-SHA256 (RFC 2104). @param key at most 64 bytes; here always 32 */
export function hmacSha256(key: Uint8Array, data: Uint8Array, { sha256 }: Pick<Hashes, 'sha256'>): Uint8Array {
  const inner = new Uint8Array(BLOCK_BYTES).fill(0x36);
  const outer = new Uint8Array(BLOCK_BYTES).fill(0x5c);
  for (let i = 0; i < key.length; i++) {
    inner[i] ^= key[i];
    outer[i] ^= key[i];
  }
  const digest = sha256(joined(outer, sha256(joined(inner, data))));
  inner.fill(0);
  outer.fill(0);
  return digest;
}

/** HKDF with two outputs of 32 bytes. @param chainingKey 32 bytes */
export function hkdf2(chainingKey: Uint8Array, input: Uint8Array, hashes: Pick<Hashes, 'sha256'>): [Uint8Array, Uint8Array] {
  const key = hmacSha256(chainingKey, input, hashes);
  const first = hmacSha256(key, Uint8Array.of(1), hashes);
  const second = hmacSha256(key, joined(first, Uint8Array.of(2)), hashes);
  key.fill(0);
  return [first, second];
}

/** The values h, ck and k of a handshake. */
export class SymmetricState {
  #h: Uint8Array;
  #ck: Uint8Array;
  /** null before the first mixKey. */
  #key: Uint8Array | null = null;
  #counter = 0;
  readonly #hashes: Pick<Hashes, 'sha256'>;
  readonly #aead: Aead;

  /** @param name of the protocol, ASCII, more than 32 bytes */
  constructor(name: string, hashes: Pick<Hashes, 'sha256'>, aead: Aead) {
    this.#hashes = hashes;
    this.#aead = aead;
    this.#ck = hashes.sha256(Uint8Array.from(name, (char) => char.charCodeAt(0)));
    this.#h = this.#ck;
    // The prologue is empty.
    this.mixHash(new Uint8Array(0));
  }

  /** Hash of the handshake so far, 32 bytes. */
  get hash(): Uint8Array {
    return this.#h;
  }

  mixHash(data: Uint8Array): void {
    this.#h = this.#hashes.sha256(joined(this.#h, data));
  }

  mixKey(secret: Uint8Array): void {
    [this.#ck, this.#key] = hkdf2(this.#ck, secret, this.#hashes);
    this.#counter = 0;
  }

  /** Encrypts and mixes the result into the hash. Only after mixKey. @returns ciphertext and tag */
  encryptAndHash(plain: Uint8Array): Uint8Array {
    if (this.#key === null) throw new Error('a handshake encrypts nothing before its first key');
    const sealed = new Uint8Array(plain.length + AEAD_TAG_BYTES);
    this.#aead.seal(this.#key, this.#counter++, this.#h, plain, sealed, 0);
    this.mixHash(sealed);
    return sealed;
  }

  /** Ends the handshake. @returns keys for the initiator's and the responder's messages, 32 bytes each */
  split(): [Uint8Array, Uint8Array] {
    const keys = hkdf2(this.#ck, new Uint8Array(0), this.#hashes);
    this.#ck.fill(0);
    this.#key?.fill(0);
    return keys;
  }
}

/** One direction after the handshake: a key, and a counter of calls that is the nonce. */
export class CipherState {
  readonly #key: Uint8Array;
  #counter = 0;
  readonly #aead: Aead;

  /** @param key 32 bytes, owned by this object from now on */
  constructor(key: Uint8Array, aead: Aead) {
    this.#aead = aead;
    if (key.length !== KEY_BYTES) throw new TypeError('a key has 32 bytes');
    this.#key = key;
  }

  /** Encrypts bytes. @param out receives `plain.length` + 16 bytes, from `at` on */
  seal(plain: Uint8Array, out: Uint8Array, at: number): void {
    this.#aead.seal(this.#key, this.#counter++, NOTHING, plain, out, at);
  }

  /** Decrypts bytes. @returns null if bytes were changed, repeated or omitted */
  open(sealed: Uint8Array): Uint8Array | null {
    return this.#aead.open(this.#key, this.#counter++, NOTHING, sealed);
  }

  /** Overwrites the key. */
  wipe(): void {
    this.#key.fill(0);
  }
}

const NOTHING = new Uint8Array(0);
