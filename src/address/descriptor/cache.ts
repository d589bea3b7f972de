// What a descriptor learnt with its secrets and needs again without them (a locked wallet's): the key above a ranged step, and the
// keys of hardened ranges. Filled by expanding, stored by wallets.
import type { ExtendedKey } from '../bip32/extended-key.js';

/** Learnt keys by the place of their key expression in the descriptor (0 is the first from the left). */
export class DescriptorCache {
  /** The key whose children the range runs over, or the key itself when the path ends without a range. */
  readonly parents = new Map<number, ExtendedKey>();
  /** Public keys of hardened ranges, 33 bytes each, by index. */
  readonly derived = new Map<number, Map<number, Uint8Array>>();
  /** Keys after the last hardened step of a path, for the normalised form. */
  readonly lastHardened = new Map<number, ExtendedKey>();

  derivedKey(place: number, index: number): Uint8Array | undefined {
    return this.derived.get(place)?.get(index);
  }

  addDerived(place: number, index: number, publicKey: Uint8Array): void {
    let keys = this.derived.get(place);
    if (keys === undefined) this.derived.set(place, (keys = new Map()));
    keys.set(index, publicKey);
  }
}
