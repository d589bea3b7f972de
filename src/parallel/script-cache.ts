// Cache of transactions whose scripts all passed, and under which flags, so that a block of transactions from the
// mempool is not verified twice. The idea is Core's (script execution cache, validation.cpp).
//
// A set-associative table in one typed array, outside the garbage collector's heap: a mark (seeded hash) of the wtxid selects
// a set of WAYS slots, and a key may be in any of them. The table starts small, because keys are spread at random and a
// few thousand would touch every page of a large table. It doubles when it is half full, up to its limit. In a full set
// the oldest key is replaced. Keys are compared in full, so only inserted keys are found. The seed is secret, so that no
// peer can choose transactions that fill one set. See docs/decisions/0044-script-cache-and-signing-queue.md.

import { seededMark } from '../jobs/script-marks.js';

/** Slots per set. With eight, a table is over 90 % full before the first recent key is lost. */
const WAYS = 8;
const ID_BYTES = 32;
const ID_WORDS = ID_BYTES / 4;
/**
 * Position of the mark in a slot, which consists of a wtxid, the flags, and the mark: 32 seeded hash bits of the wtxid,
 * 0 in an empty slot.
 */
const MARK = ID_WORDS + 1;
const SLOT_WORDS = ID_WORDS + 2;
/** Initial size: 330 kB. */
const FIRST_SETS = 1024;

/**
 * A set of wtxids and the flags under which they passed, of limited size. Keys may be dropped; a key that was not
 * inserted is never found.
 */
export class ScriptCache {
  hits = 0;
  misses = 0;
  readonly #seed: number;
  readonly #mostSets: number;
  #table = new Uint32Array();
  /** Per set, the slot that is overwritten next: keys are replaced in order of insertion. */
  #nextSlot = new Uint8Array();
  #sets = 0;
  /** Number of keys inserted since the table has its current size. */
  #inserted = 0;
  /** The wtxid that is searched. */
  readonly #id = new Uint32Array(ID_WORDS);
  readonly #idBytes = new Uint8Array(this.#id.buffer);

  /**
   * @param maxBytes limit of the table; 16 MiB (Core's default share) hold 418,000 transactions
   * @param seed 32 secret random bits
   */
  constructor(maxBytes: number, seed: number) {
    this.#seed = seed;
    this.#mostSets = Math.max(1, Math.floor(maxBytes / (SLOT_WORDS * 4 * WAYS + 1)));
    this.#allocateTable(Math.min(FIRST_SETS, this.#mostSets));
  }

  /** Current size in bytes. */
  get bytes(): number {
    return this.#table.byteLength + this.#nextSlot.byteLength;
  }

  /** Number of keys that fit into the table at its largest size. */
  get capacity(): number {
    return this.#mostSets * WAYS;
  }

  /**
   * Returns true if this transaction passed under these flags or more. A flag only adds restrictions, so a transaction
   * that passes under more flags passes under fewer.
   * @param wtxid 32 bytes; commits to everything but the coins, which are determined by the txids in it
   */
  has(wtxid: Uint8Array, flags: number): boolean {
    const found = this.#holds(this.#markOf(wtxid), flags);
    if (found) this.hits++;
    else this.misses++;
    return found;
  }

  /** Adds a transaction that passed. */
  insert(wtxid: Uint8Array, flags: number): void {
    const mark = this.#markOf(wtxid);
    if (this.#holds(mark, flags)) return;
    if (this.#sets < this.#mostSets && this.#inserted * 2 >= this.#sets * WAYS) this.#grow();
    const at = this.#takeSlot(mark);
    this.#table.set(this.#id, at);
    this.#table[at + ID_WORDS] = flags;
    this.#table[at + MARK] = mark;
  }

  /** Replaces the table by an empty one. */
  #allocateTable(sets: number): void {
    this.#sets = sets;
    this.#table = new Uint32Array(sets * WAYS * SLOT_WORDS);
    this.#nextSlot = new Uint8Array(sets);
    this.#inserted = 0;
  }

  /** Moves all keys into a table of twice the size, in order of insertion within a set: about 20 ns per key. */
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

  /** Returns the position in the table at which to write a key with this mark. */
  #takeSlot(mark: number): number {
    const set = this.#setOf(mark);
    const slot = this.#nextSlot[set];
    this.#nextSlot[set] = (slot + 1) % WAYS;
    this.#inserted++;
    return (set * WAYS + slot) * SLOT_WORDS;
  }

  /** Returns the mark of a wtxid, and makes this wtxid the one for which #holds searches. */
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
