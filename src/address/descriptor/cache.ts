// What a descriptor learnt with its secrets and needs again without them (a locked wallet's): the key above a ranged
// step, and the keys of hardened ranges. Filled by expanding, stored by wallets.
import type { ExtendedKey } from '../bip32/extended-key.js';

/** Learnt keys by the place of their key expression in the descriptor (0 is the first from the left). */
export class DescriptorCache {
  // Made when first asked for: a wallet may hold very many descriptors of plain keys, which have nothing to learn.
  #parents: Map<number, ExtendedKey> | null = null;
  #derived: Map<number, Map<number, Uint8Array>> | null = null;
  #lastHardened: Map<number, ExtendedKey> | null = null;

  /** The key whose children the range runs over, or the key itself when the path ends without a range. */
  get parents(): Map<number, ExtendedKey> {
    this.#parents ??= new Map();
    return this.#parents;
  }
  /** Public keys of hardened ranges, 33 bytes each, by index. */
  get derived(): Map<number, Map<number, Uint8Array>> {
    this.#derived ??= new Map();
    return this.#derived;
  }
  /** Keys after the last hardened step of a path, for the normalised form. */
  get lastHardened(): Map<number, ExtendedKey> {
    this.#lastHardened ??= new Map();
    return this.#lastHardened;
  }
  /** Nothing was learnt. */
  get isEmpty(): boolean {
    return !this.#parents?.size && !this.#derived?.size && !this.#lastHardened?.size;
  }

  /** Keys of hardened ranges in all. */
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

  /** Takes over what another cache of the same descriptor learnt besides. */
  mergeFrom(other: DescriptorCache): void {
    for (const [place, key] of other.#parents ?? []) if (!this.#parents?.has(place)) this.parents.set(place, key);
    for (const [place, key] of other.#lastHardened ?? []) if (!this.#lastHardened?.has(place)) this.lastHardened.set(place, key);
    for (const [place, keys] of other.#derived ?? []) for (const [index, key] of keys) this.addDerived(place, index, key);
  }
}
