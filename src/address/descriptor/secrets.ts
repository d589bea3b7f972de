// Secrets by key: what the parser finds in a descriptor, and what a wallet answers from its own store. Kept apart from
// the descriptor, so that a locked wallet has the one without the other.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { Hashes } from '../../crypto/crypto.js';
import { secretCopy } from '../../crypto/secret-bytes.js';

/** Where secrets come from. */
export interface SecretSource {
  /**
   * The secret of a public key, 32 bytes in a fresh array that the caller wipes; undefined when it is not known.
   * @param id HASH160 of the public key
   */
  secret(id: Uint8Array): Uint8Array | undefined;
}

/** A public key and its secret. */
export interface KeyPair {
  readonly publicKey: Uint8Array;
  readonly secret: Uint8Array;
}

/** Secrets held in memory. */
export class SecretRing implements SecretSource {
  readonly #pairs = new Map<string, KeyPair>();
  readonly #hashes: Hashes;

  constructor(hashes: Hashes) {
    this.#hashes = hashes;
  }

  get size(): number {
    return this.#pairs.size;
  }

  /** @param publicKey 33 or 65 bytes @param secret the ring's from now on */
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

  /** All of them, in the order of the descriptor; the arrays are the ring's. */
  pairs(): IterableIterator<KeyPair> {
    return this.#pairs.values();
  }

  /** Overwrites every secret; the ring is empty afterwards. */
  wipe(): void {
    for (const { secret } of this.#pairs.values()) secret.fill(0);
    this.#pairs.clear();
  }
}
