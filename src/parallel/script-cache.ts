// Remembers which transactions passed all their scripts under which flags, so that a block whose transactions came
// through the mempool is not verified twice. Used by CachedVerifier. The idea is Core's (script execution cache,
// validation.cpp).
//
// A set-associative table of 32-byte keys in one typed array, off the collector's heap: the first key word picks a set
// of WAYS slots, a key lives in any of them. When a set is full the oldest of its keys goes. Keys are salted with a
// secret of this process, so nobody can choose transactions that crowd a set or that meet a key.

import type { Hashes } from '../crypto/crypto.js';

/** Slots a key may be in. Eight fill a table to over 90 % before the first young key is lost. */
const WAYS = 8;
const KEY_WORDS = 8;
const KEY_BYTES = KEY_WORDS * 4;
const SALT_BYTES = 32;

/** A bounded set of (wtxid, flags) pairs. It may forget; it never says yes to what was not inserted. */
export class ScriptCache {
  hits = 0;
  misses = 0;
  readonly #hashes: Hashes;
  readonly #preimage = new Uint8Array(SALT_BYTES + 32 + 4);
  readonly #flagsView = new DataView(this.#preimage.buffer, SALT_BYTES + 32, 4);
  readonly #table: Uint32Array;
  /** Per set, the slot that is overwritten next: keys leave in the order they came. */
  readonly #nextSlot: Uint8Array;
  readonly #sets: number;

  /**
   * @param maxBytes table size; 16 MiB (Core's default share) remember half a million transactions
   * @param salt 32 secret random bytes
   */
  constructor(maxBytes: number, salt: Uint8Array, hashes: Hashes) {
    if (salt.length !== SALT_BYTES) throw new RangeError('The salt of a script cache has 32 bytes');
    this.#hashes = hashes;
    this.#preimage.set(salt);
    this.#sets = Math.max(1, Math.floor(maxBytes / (KEY_BYTES * WAYS + 1)));
    this.#table = new Uint32Array(this.#sets * WAYS * KEY_WORDS);
    this.#nextSlot = new Uint8Array(this.#sets);
  }

  /** Bytes held, fixed at the start. */
  get bytes(): number {
    return this.#table.byteLength + this.#nextSlot.byteLength;
  }

  /** Keys that fit. */
  get capacity(): number {
    return this.#sets * WAYS;
  }

  /**
   * Whether this transaction passed under exactly these flags.
   * @param wtxid 32 bytes; commits to everything but the coins, and those hang on the txids in it
   */
  has(wtxid: Uint8Array, flags: number): boolean {
    const key = this.#key(wtxid, flags);
    const found = this.#find(key) >= 0;
    if (found) this.hits++;
    else this.misses++;
    return found;
  }

  /** Remembers a success. */
  insert(wtxid: Uint8Array, flags: number): void {
    const key = this.#key(wtxid, flags);
    if (this.#find(key) >= 0) return;
    const set = this.#setOf(key);
    const slot = this.#nextSlot[set];
    this.#nextSlot[set] = (slot + 1) % WAYS;
    this.#table.set(key, (set * WAYS + slot) * KEY_WORDS);
  }

  #key(wtxid: Uint8Array, flags: number): Uint32Array {
    this.#preimage.set(wtxid, SALT_BYTES);
    this.#flagsView.setUint32(0, flags >>> 0, true);
    const digest = this.#hashes.sha256(this.#preimage);
    const words = new Uint32Array(KEY_WORDS);
    new Uint8Array(words.buffer).set(digest);
    // An empty slot is all zero; no key may look like one.
    if (words[KEY_WORDS - 1] === 0) words[KEY_WORDS - 1] = 1;
    return words;
  }

  #setOf(key: Uint32Array): number {
    return Math.floor((key[0] / 0x1_0000_0000) * this.#sets);
  }

  /** @returns the slot that holds the key, or -1 */
  #find(key: Uint32Array): number {
    const first = this.#setOf(key) * WAYS;
    for (let slot = first; slot < first + WAYS; slot++) {
      const at = slot * KEY_WORDS;
      let word = 0;
      while (word < KEY_WORDS && this.#table[at + word] === key[word]) word++;
      if (word === KEY_WORDS) return slot;
    }
    return -1;
  }
}
