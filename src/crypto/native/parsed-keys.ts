// Public keys that libsecp256k1 parsed before. Parsing a compressed key takes a square root, an eighth of a signature
// check, and keys return: a payment often spends many coins of one address, and a block or a flow of transactions
// many of the same wallet. Used by system-curve.ts, once per thread and form of key.

import { koffi } from './koffi.js';

/** Bytes of secp256k1_pubkey and secp256k1_xonly_pubkey: the library's own form, good for the running process only. */
const PARSED_BYTES = 64;
const SLOTS = 4_096;

/**
 * A direct-mapped cache: the end of x chooses the slot, and a new key replaces the one in it. A slot answers only for
 * exactly the bytes that were parsed into it, so nothing but time depends on which keys others use.
 */
export class ParsedKeys {
  readonly #keyBytes: number;
  readonly #parse: (to: number, key: Uint8Array) => boolean;
  // Outside the collector's heap, so that the library gets addresses into it.
  readonly #parsed = new Uint8Array(new ArrayBuffer(SLOTS * PARSED_BYTES));
  readonly #base = Number(koffi().address(this.#parsed));
  readonly #keys: Uint8Array;
  readonly #used = new Uint8Array(SLOTS);

  /**
   * @param keyBytes length of the keys: 33 compressed, 32 x-only
   * @param parse writes the parsed form of a key to an address; false when it is no point
   */
  constructor(keyBytes: number, parse: (to: number, key: Uint8Array) => boolean) {
    this.#keyBytes = keyBytes;
    this.#parse = parse;
    this.#keys = new Uint8Array(SLOTS * keyBytes);
  }

  /**
   * Where the parsed form of a key lies, until the next call; 0 when it is no point.
   * @param key as many bytes as the constructor was told
   */
  find(key: Uint8Array): number {
    const size = this.#keyBytes;
    // The last bytes are of x, and as good as random.
    const slot = (key[size - 1] | (key[size - 2] << 8)) % SLOTS;
    const address = this.#base + slot * PARSED_BYTES;
    if (this.#used[slot] === 1 && this.#holds(slot, key)) return address;
    // A parse that fails overwrites what was there.
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
