// Remembers which transactions passed all their scripts under which flags, so that a block whose transactions came
// through the mempool is not verified twice. Used by CachedVerifier. The idea is Core's (script execution cache,
// validation.cpp).
//
// A set-associative table in one typed array, off the collector's heap: a seeded mark of the wtxid picks a set of WAYS
// slots, a key lives in any of them. When a set is full the oldest of its keys goes. Keys are compared whole, so nothing
// but a key that was inserted is ever found; the seed is a secret of this process, so nobody can choose transactions
// that crowd a set.

import { seededMark } from '../jobs/script-marks.js';

/** Slots a key may be in. Eight fill a table to over 90 % before the first young key is lost. */
const WAYS = 8;
const ID_BYTES = 32;
const ID_WORDS = ID_BYTES / 4;
/** A wtxid, which is never all zero as an empty slot is, and flags. */
const SLOT_WORDS = ID_WORDS + 1;

/**
 * A bounded set of wtxids and the flags they passed under. It may forget; it never says yes to what was not inserted.
 */
export class ScriptCache {
  hits = 0;
  misses = 0;
  readonly #seed: number;
  readonly #table: Uint32Array;
  /** Per set, the slot that is overwritten next: keys leave in the order they came. */
  readonly #nextSlot: Uint8Array;
  readonly #sets: number;
  /** The wtxid that is looked for. */
  readonly #id = new Uint32Array(ID_WORDS);
  readonly #idBytes = new Uint8Array(this.#id.buffer);

  /**
   * @param maxBytes table size; 16 MiB (Core's default share) remember 460,000 transactions
   * @param seed 32 secret random bits
   */
  constructor(maxBytes: number, seed: number) {
    this.#seed = seed;
    this.#sets = Math.max(1, Math.floor(maxBytes / (SLOT_WORDS * 4 * WAYS + 1)));
    this.#table = new Uint32Array(this.#sets * WAYS * SLOT_WORDS);
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
   * Whether this transaction passed under these flags, or more: a flag only forbids, so what passes under more passes
   * under fewer.
   * @param wtxid 32 bytes; commits to everything but the coins, and those hang on the txids in it
   */
  has(wtxid: Uint8Array, flags: number): boolean {
    const found = this.#holds(this.#setOf(wtxid), flags);
    if (found) this.hits++;
    else this.misses++;
    return found;
  }

  /** Remembers a success. */
  insert(wtxid: Uint8Array, flags: number): void {
    const set = this.#setOf(wtxid);
    if (this.#holds(set, flags)) return;
    const slot = this.#nextSlot[set];
    this.#nextSlot[set] = (slot + 1) % WAYS;
    const at = (set * WAYS + slot) * SLOT_WORDS;
    this.#table.set(this.#id, at);
    this.#table[at + ID_WORDS] = flags;
  }

  /** Where a wtxid belongs; it is the one that #holds looks for. */
  #setOf(wtxid: Uint8Array): number {
    this.#idBytes.set(wtxid);
    return Math.floor(((seededMark(this.#seed, 0, wtxid, 0, ID_BYTES) >>> 0) / 0x1_0000_0000) * this.#sets);
  }

  #holds(set: number, flags: number): boolean {
    const end = (set + 1) * WAYS * SLOT_WORDS;
    for (let at = set * WAYS * SLOT_WORDS; at < end; at += SLOT_WORDS) {
      let word = 0;
      while (word < ID_WORDS && this.#table[at + word] === this.#id[word]) word++;
      if (word === ID_WORDS && (flags & ~this.#table[at + ID_WORDS]) === 0) return true;
    }
    return false;
  }
}
