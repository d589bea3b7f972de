// Public keys that were derived with a descriptor's private keys, stored for use while the wallet is locked: the key
// above a ranged step, and the keys of hardened ranges. Expanding fills the cache, wallets store it.
import type { ExtendedKey } from '../bip32/extended-key.js';

/** Cached keys by the position of their key expression in the descriptor (0 is the first from the left). */
export class DescriptorCache {
  // Allocated on first use, because a wallet may have very many descriptors without cached keys.
  #parents: Map<number, ExtendedKey> | null = null;
  #derived: Map<number, Map<number, Uint8Array>> | null = null;
  #lastHardened: Map<number, ExtendedKey> | null = null;

  /** By position: parent key of the range, or for a path without a range the key at its end. */
  get parents(): Map<number, ExtendedKey> {
    this.#parents ??= new Map();
    return this.#parents;
  }
  /** By position, then by index: public keys of hardened ranges, 33 bytes each. */
  get derived(): Map<number, Map<number, Uint8Array>> {
    this.#derived ??= new Map();
    return this.#derived;
  }
  /** By position: keys after the last hardened step of a path, for the normalised form. */
  get lastHardened(): Map<number, ExtendedKey> {
    this.#lastHardened ??= new Map();
    return this.#lastHardened;
  }
  /** True if the cache is empty. */
  get isEmpty(): boolean {
    return !this.#parents?.size && !this.#derived?.size && !this.#lastHardened?.size;
  }

  /** Total number of keys of hardened ranges. */
  get derivedCount(): number {
    let count = 0;
    for (const keys of this.#derived?.values() ?? []) count += keys.size;
    return count;
  }
  derivedKey(place: number, index: number): Uint8Array | undefined {
    return this.#derived?.get(place)?.get(index);
  }

  addDerived(place: number, index: number, publicKey: Uint8Array): void {
    let keys = this.derived.get(place);
    if (keys === undefined) this.derived.set(place, (keys = new Map()));
    keys.set(index, publicKey);
  }

  /** Adds those keys of another cache of the same descriptor that are missing in this one. */
  mergeFrom(other: DescriptorCache): void {
    for (const [place, key] of other.#parents ?? []) if (!this.#parents?.has(place)) this.parents.set(place, key);
    for (const [place, key] of other.#lastHardened ?? []) if (!this.#lastHardened?.has(place)) this.lastHardened.set(place, key);
    for (const [place, keys] of other.#derived ?? []) for (const [index, key] of keys) this.addDerived(place, index, key);
  }
}
