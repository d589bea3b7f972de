// Remembers which transactions passed all their scripts under which flags, so that a block whose transactions came
// through the mempool is not verified twice. Used by CachedVerifier. The idea is Core's (script execution cache,
// validation.cpp).
//
// A set-associative table in one typed array, off the collector's heap: a seeded mark of the wtxid picks a set of WAYS
// slots, a key lives in any of them. The table doubles when it is half full, up to its bound: sets are chosen at random,
// so that a few thousand keys touch every page of a table that begins large. When a set is full the oldest of its keys
// goes. Keys are compared whole, so nothing but a key that was inserted is ever found; the seed is a secret of this
// process, so no peer can choose transactions that crowd a set.

import { seededMark } from '../jobs/script-marks.js';

/** Slots a key may be in. Eight fill a table to over 90 % before the first young key is lost. */
const WAYS = 8;
const ID_BYTES = 32;
const ID_WORDS = ID_BYTES / 4;
/** A wtxid, the flags, and the mark, which is 0 in an empty slot. */
const MARK = ID_WORDS + 1;
const SLOT_WORDS = ID_WORDS + 2;
/** 330 kB. */
const FIRST_SETS = 1024;

/**
 * A bounded set of wtxids and the flags they passed under. It may forget; it never says yes to what was not inserted.
 */
export class ScriptCache {
  hits = 0;
  misses = 0;
  readonly #seed: number;
  readonly #mostSets: number;
  #table = new Uint32Array();
  /** Per set, the slot that is overwritten next: keys leave in the order they came. */
  #nextSlot = new Uint8Array();
  #sets = 0;
  /** Keys inserted into the table, as large as it is. */
  #inserted = 0;
  /** The wtxid that is looked for. */
  readonly #id = new Uint32Array(ID_WORDS);
  readonly #idBytes = new Uint8Array(this.#id.buffer);

  /**
   * @param maxBytes bound of the table; 16 MiB (Core's default share) remember 418,000 transactions
   * @param seed 32 secret random bits
   */
  constructor(maxBytes: number, seed: number) {
    this.#seed = seed;
    this.#mostSets = Math.max(1, Math.floor(maxBytes / (SLOT_WORDS * 4 * WAYS + 1)));
    this.#allocateTable(Math.min(FIRST_SETS, this.#mostSets));
  }

  /** Bytes held now. */
  get bytes(): number {
    return this.#table.byteLength + this.#nextSlot.byteLength;
  }

  /** Keys that fit into the table when it is as large as it gets. */
  get capacity(): number {
    return this.#mostSets * WAYS;
  }

  /**
   * Whether this transaction passed under these flags, or more: a flag only forbids, so what passes under more passes
   * under fewer.
   * @param wtxid 32 bytes; commits to everything but the coins, and those hang on the txids in it
   */
  has(wtxid: Uint8Array, flags: number): boolean {
    const found = this.#holds(this.#markOf(wtxid), flags);
    if (found) this.hits++;
    else this.misses++;
    return found;
  }

  /** Remembers a success. */
  insert(wtxid: Uint8Array, flags: number): void {
    const mark = this.#markOf(wtxid);
    if (this.#holds(mark, flags)) return;
    if (this.#sets < this.#mostSets && this.#inserted * 2 >= this.#sets * WAYS) this.#grow();
    const at = this.#takeSlot(mark);
    this.#table.set(this.#id, at);
    this.#table[at + ID_WORDS] = flags;
    this.#table[at + MARK] = mark;
  }

  /** An empty table. */
  #allocateTable(sets: number): void {
    this.#sets = sets;
    this.#table = new Uint32Array(sets * WAYS * SLOT_WORDS);
    this.#nextSlot = new Uint8Array(sets);
    this.#inserted = 0;
  }

  /** Moves all keys into a table of twice the size, those of a set in the order they came: some 20 ns a key. */
  #grow(): void {
    const [table, nextSlot, sets] = [this.#table, this.#nextSlot, this.#sets];
    this.#allocateTable(Math.min(this.#mostSets, sets * 2));
    for (let set = 0; set < sets; set++) {
      for (let i = 0; i < WAYS; i++) {
        const from = (set * WAYS + ((nextSlot[set] + i) % WAYS)) * SLOT_WORDS;
        if (table[from + MARK] === 0) continue;
        const at = this.#takeSlot(table[from + MARK]);
        for (let word = 0; word < SLOT_WORDS; word++) this.#table[at + word] = table[from + word];
      }
    }
  }

  /** Where the next key with this mark is written. */
  #takeSlot(mark: number): number {
    const set = this.#setOf(mark);
    const slot = this.#nextSlot[set];
    this.#nextSlot[set] = (slot + 1) % WAYS;
    this.#inserted++;
    return (set * WAYS + slot) * SLOT_WORDS;
  }

  /** What places a wtxid; it is the one that #holds looks for. */
  #markOf(wtxid: Uint8Array): number {
    this.#idBytes.set(wtxid);
    return seededMark(this.#seed, 0, wtxid, 0, ID_BYTES) >>> 0;
  }

  #setOf(mark: number): number {
    return Math.floor((mark / 0x1_0000_0000) * this.#sets);
  }

  #holds(mark: number, flags: number): boolean {
    const start = this.#setOf(mark) * WAYS * SLOT_WORDS;
    for (let at = start; at < start + WAYS * SLOT_WORDS; at += SLOT_WORDS) {
      let word = 0;
      while (word < ID_WORDS && this.#table[at + word] === this.#id[word]) word++;
      if (word === ID_WORDS && (flags & ~this.#table[at + ID_WORDS]) === 0) return true;
    }
    return false;
  }
}
