// Cache of public keys that libsecp256k1 has parsed. Parsing a compressed key takes a square root, an eighth of a
// signature check, and the same keys are parsed again and again: a payment often spends many coins of one address, and
// many transactions come from the same wallet. One cache per thread and form of key.

import { koffi } from './koffi.js';

/** Size of secp256k1_pubkey and secp256k1_xonly_pubkey, the library's own form, valid in this process only. */
const PARSED_BYTES = 64;
const SLOTS = 4_096;

/**
 * Direct-mapped cache. The end of x chooses the slot, and a new key replaces the one in it. A lookup compares all bytes
 * of the key with those in the slot. So keys that an attacker chooses can only slow it down.
 */
export class ParsedKeys {
  readonly #keyBytes: number;
  readonly #parse: (to: number, key: Uint8Array) => boolean;
  // Outside of the garbage-collected heap, so that its address is stable.
  readonly #parsed = new Uint8Array(new ArrayBuffer(SLOTS * PARSED_BYTES));
  readonly #base = Number(koffi().address(this.#parsed));
  readonly #keys: Uint8Array;
  readonly #used = new Uint8Array(SLOTS);

  /**
   * @param keyBytes length of the keys: 33 compressed, 32 x-only
   * @param parse writes the parsed form of a key to an address; false if it is not a point
   */
  constructor(keyBytes: number, parse: (to: number, key: Uint8Array) => boolean) {
    this.#keyBytes = keyBytes;
    this.#parse = parse;
    this.#keys = new Uint8Array(SLOTS * keyBytes);
  }

  /**
   * Returns the address of the parsed key, valid until the next call; 0 if it is not a point.
   * @param key as many bytes as the constructor's `keyBytes`
   */
  find(key: Uint8Array): number {
    const size = this.#keyBytes;
    // Choose the slot by the last bytes, which are part of x and practically random.
    const slot = (key[size - 1] | (key[size - 2] << 8)) % SLOTS;
    const address = this.#base + slot * PARSED_BYTES;
    if (this.#used[slot] === 1 && this.#holds(slot, key)) return address;
    // Clear the slot's key first, because a failed parse also overwrites the slot.
    this.#used[slot] = 0;
    if (!this.#parse(address, key)) return 0;
    this.#keys.set(key, slot * size);
    this.#used[slot] = 1;
    return address;
  }

  #holds(slot: number, key: Uint8Array): boolean {
    const at = slot * this.#keyBytes;
    for (let i = 0; i < this.#keyBytes; i++) if (this.#keys[at + i] !== key[i]) return false;
    return true;
  }
}
