// Private keys of a wallet's descriptors in their stored form, plain or encrypted, as columns. The keys of one
// descriptor are a linked list. Most descriptors have one or none.
import { equalBytes } from '../../consensus/bytes/hex.js';
import type { Seal } from '../crypt/vault.js';
import type { TableImage } from '../image/table-image.js';
import { ByteArena } from '../tables/byte-arena.js';
import { grown } from '../tables/byte-table.js';
import { SecretSlab } from '../tables/secret-slab.js';

/** Private key in its stored form. Both arrays are views that must be used immediately. */
export interface RestingSecret {
  readonly publicKey: Uint8Array;
  readonly resting: Uint8Array;
}

export class DescriptorSecrets {
  /** For each descriptor: number of its latest secret + 1; 0 if it has none. */
  #heads = new Int32Array(32);
  /**
   * For each secret: number of the previous secret of the same descriptor + 1, and the entry of the secret in the slab.
   */
  #others = new Int32Array(32);
  #entries = new Int32Array(32);
  readonly #publicKeys = new ByteArena();
  #slab = new SecretSlab();
  #count = 0;
  #wiped = false;

  /** Allocates the columns of a descriptor. */
  ensureCapacity(descriptor: number): void {
    this.#heads = grown(this.#heads, descriptor);
  }
  has(descriptor: number): boolean {
    return this.#heads[descriptor] !== 0 && !this.#wiped;
  }
  /** Yields the secrets of a descriptor. */
  *of(descriptor: number): Generator<RestingSecret> {
    if (!this.has(descriptor)) return;
    for (let at = this.#heads[descriptor]; at !== 0; at = this.#others[at - 1]) {
      yield { publicKey: this.#publicKeys.get(at - 1), resting: this.#slab.get(this.#entries[at - 1]) };
    }
  }
  /** Returns whether any descriptor has the secret of this public key. Searches all secrets. */
  holds(publicKey: Uint8Array): boolean {
    for (let secret = 0; secret < this.#count && !this.#wiped; secret++)
      if (equalBytes(this.#publicKeys.get(secret), publicKey)) return true;
    return false;
  }
  /** Adds a secret, or replaces the one of the same public key. @param resting stored form, which is copied */
  setSecret(descriptor: number, publicKey: Uint8Array, resting: Uint8Array): void {
    for (let at = this.#heads[descriptor]; at !== 0; at = this.#others[at - 1]) {
      if (!equalBytes(this.#publicKeys.get(at - 1), publicKey)) continue;
      this.#entries[at - 1] = this.#slab.add(resting);
      return;
    }
    const secret = this.#count++;
    this.#others = grown(this.#others, secret);
    this.#entries = grown(this.#entries, secret);
    this.#publicKeys.add(publicKey);
    this.#others[secret] = this.#heads[descriptor];
    this.#entries[secret] = this.#slab.add(resting);
    this.#heads[descriptor] = secret + 1;
  }

  /** Encrypts every private key, see KeyTable.sealAllSecrets. */
  sealAllSecrets(seal: Seal): () => void {
    const old = this.#slab;
    const next = new SecretSlab();
    const entries = this.#entries.slice();
    for (let secret = 0; secret < this.#count; secret++) {
      entries[secret] = next.add(seal(this.#publicKeys.get(secret), old.get(entries[secret])));
    }
    return () => {
      this.#entries = entries;
      this.#slab = next;
      old.wipe();
    };
  }
  /** Overwrites every secret. The table is not used afterwards. */
  wipe(): void {
    this.#slab.wipe();
    this.#wiped = true;
  }

  /** Saves the table to an image, or restores it from one. @param descriptors number of descriptors */
  transferImage(at: TableImage, descriptors: number): void {
    this.#count = at.number(this.#count);
    this.#heads = at.column(this.#heads, descriptors);
    this.#others = at.column(this.#others, this.#count);
    this.#entries = at.column(this.#entries, this.#count);
    this.#publicKeys.transferImage(at);
    this.#slab.transferImage(at);
  }
}
