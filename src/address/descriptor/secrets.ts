// Secrets by public key: what the parser finds in a descriptor, and what a wallet answers from its own store. Kept apart from the
// descriptor, so that a locked wallet has the one without the other.
import { hashKey } from '../../consensus/bytes/hex.js';

/** Where secrets come from. */
export interface SecretSource {
  /** The secret of a public key (33 or 65 bytes), 32 bytes that stay the source's; undefined when it is not known. */
  secretOf(publicKey: Uint8Array): Uint8Array | undefined;
}

/** A public key and its secret. */
export interface KeyPair {
  readonly publicKey: Uint8Array;
  readonly secret: Uint8Array;
}

/** Secrets held in memory. */
export class SecretRing implements SecretSource {
  readonly #pairs = new Map<string, KeyPair>();

  get size(): number {
    return this.#pairs.size;
  }

  add(publicKey: Uint8Array, secret: Uint8Array): void {
    this.#pairs.set(hashKey(publicKey), { publicKey, secret });
  }

  secretOf(publicKey: Uint8Array): Uint8Array | undefined {
    return this.#pairs.get(hashKey(publicKey))?.secret;
  }

  pairs(): IterableIterator<KeyPair> {
    return this.#pairs.values();
  }

  /** Overwrites every secret; the ring is empty afterwards. */
  wipe(): void {
    for (const { secret } of this.#pairs.values()) secret.fill(0);
    this.#pairs.clear();
  }
}
