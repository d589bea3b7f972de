// Private keys by public key: those that the parser found in a descriptor, and those of a wallet's key store. They are
// separate from descriptors, so that a locked wallet has its descriptors without private keys.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { Hashes } from '../../crypto/crypto.js';
import { secretCopy } from '../../crypto/secret-bytes.js';

/** Source of private keys. */
export interface SecretSource {
  /**
   * Returns the private key of a public key, 32 bytes in a new array that the caller wipes; undefined if unknown.
   * @param id HASH160 of the public key
   */
  secret(id: Uint8Array): Uint8Array | undefined;
}

/** Public key and its private key. */
export interface KeyPair {
  readonly publicKey: Uint8Array;
  readonly secret: Uint8Array;
}

/** Private keys in memory. */
export class SecretRing implements SecretSource {
  readonly #pairs = new Map<string, KeyPair>();
  readonly #hashes: Hashes;

  constructor(hashes: Hashes) {
    this.#hashes = hashes;
  }

  get size(): number {
    return this.#pairs.size;
  }

  /** Adds a pair. @param publicKey 33 or 65 bytes @param secret belongs to the ring from now on */
  add(publicKey: Uint8Array, secret: Uint8Array): void {
    const id = hashKey(this.#hashes.hash160(publicKey));
    const known = this.#pairs.get(id);
    if (known && known.secret !== secret) known.secret.fill(0);
    this.#pairs.set(id, { publicKey, secret });
  }

  secret(id: Uint8Array): Uint8Array | undefined {
    const pair = this.#pairs.get(hashKey(id));
    return pair && secretCopy(pair.secret);
  }

  /** Returns all pairs in the order of the descriptor. The ring owns the arrays. */
  pairs(): IterableIterator<KeyPair> {
    return this.#pairs.values();
  }

  /** Overwrites every private key. The ring is empty afterwards. */
  wipe(): void {
    for (const { secret } of this.#pairs.values()) secret.fill(0);
    this.#pairs.clear();
  }
}
