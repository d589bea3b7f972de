// The private keys of a wallet's descriptors as they rest, plain or sealed: rows of columns, those of one descriptor in
// a chain. Most descriptors have one or none.
import { equalBytes } from '../../consensus/bytes/hex.js';
import type { Slicer } from '../../lib/slicer.js';
import type { Seal } from '../crypt/vault.js';
import type { TableImage } from '../image/table-image.js';
import { ByteArena } from '../tables/byte-arena.js';
import { grown } from '../tables/byte-table.js';
import { SecretSlab } from '../tables/secret-slab.js';

/** A private key as it rests: views, to be used at once. */
export interface RestingSecret {
  readonly publicKey: Uint8Array;
  readonly resting: Uint8Array;
}

export class DescriptorSecrets {
  /** By descriptor: its latest secret + 1, 0 without any. */
  #heads = new Int32Array(32);
  /** By secret: the one before it + 1, and where it rests. */
  #others = new Int32Array(32);
  #entries = new Int32Array(32);
  readonly #publicKeys = new ByteArena();
  #slab = new SecretSlab();
  #count = 0;
  #wiped = false;

  /** Makes room for a descriptor. */
  ensureCapacity(descriptor: number): void {
    this.#heads = grown(this.#heads, descriptor);
  }
  has(descriptor: number): boolean {
    return this.#heads[descriptor] !== 0 && !this.#wiped;
  }
  /** Those of a descriptor. */
  *of(descriptor: number): Generator<RestingSecret> {
    if (!this.has(descriptor)) return;
    for (let at = this.#heads[descriptor]; at !== 0; at = this.#others[at - 1]) {
      yield { publicKey: this.#publicKeys.get(at - 1), resting: this.#slab.get(this.#entries[at - 1]) };
    }
  }
  /** Whether any descriptor has one of this public key. Looks at all of them. */
  holds(publicKey: Uint8Array): boolean {
    for (let secret = 0; secret < this.#count && !this.#wiped; secret++)
      if (equalBytes(this.#publicKeys.get(secret), publicKey)) return true;
    return false;
  }
  /** @param resting copied; takes the place of the one of the same public key */
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

  /** As KeyTable's. */
  async sealAllSecrets(seal: Seal, slicer: Slicer): Promise<() => void> {
    const old = this.#slab;
    const next = new SecretSlab();
    const entries = this.#entries.slice();
    for (let secret = 0; secret < this.#count; secret++) {
      entries[secret] = next.add(seal(this.#publicKeys.get(secret), old.get(entries[secret])));
      if (slicer.due) await slicer.pause();
    }
    return () => {
      this.#entries = entries;
      this.#slab = next;
      old.wipe();
    };
  }
  /** Overwrites every secret: the end of the table. */
  wipe(): void {
    this.#slab.wipe();
    this.#wiped = true;
  }

  /** Writes the table down or takes it from what was written. @param descriptors how many there are */
  transferImage(at: TableImage, descriptors: number): void {
    this.#count = at.number(this.#count);
    this.#heads = at.column(this.#heads, descriptors);
    this.#others = at.column(this.#others, this.#count);
    this.#entries = at.column(this.#entries, this.#count);
    this.#publicKeys.transferImage(at);
    this.#slab.transferImage(at);
  }
}
