// Hash table from outpoint to entry, outside V8's heap, that grows in small steps.
//
// Segments of 4,096 slots, open addressing with linear probing inside one. The high bits of a hash choose the segment
// through a directory (extendible hashing), the low bits the slot. A segment that is three quarters full splits in two,
// which moves at most some 3,000 slots, so no insertion has to move the whole table. The directory, a list of small
// numbers, doubles when a segment needs more bits. A slot is the full 32-bit hash and a non-zero reference; the table
// compares keys only if the hashes agree.
//
// The hash is keyed with random numbers per table. An attacker can grind transaction ids, and ids chosen that way must
// not all fall into one segment.

import { randomBytes } from 'node:crypto';
import { readU32 } from '../../consensus/bytes/reader.js';

const SEGMENT_BITS = 12;
const SEGMENT_SLOTS = 1 << SEGMENT_BITS;
const SLOT_MASK = SEGMENT_SLOTS - 1;
const SPLIT_AT = (SEGMENT_SLOTS * 3) >> 2;
/** Largest number of hash bits for the directory. The slot uses the other 12, the low ones. */
const MAX_DEPTH = 32 - SEGMENT_BITS;
/** Two words of 4 bytes per slot. */
const SEGMENT_BYTES = SEGMENT_SLOTS * 8;

interface Segment {
  /**
   * Hash and reference of each slot, next to each other, because a lookup finds neither in a processor cache. Reference
   * 0: empty slot.
   */
  readonly words: Uint32Array;
  count: number;
  /** Number of high bits that all hashes of the segment share. */
  depth: number;
}

/** Returns whether the entry of a reference has the key at bytes[at]. */
export type SameKey = (ref: number, bytes: Uint8Array, at: number) => boolean;

/** Hash table from 36-byte outpoints to references. */
export class OutpointTable {
  #directory: Segment[];
  #depth = 0;
  #segmentCount = 1;
  #entries = 0;
  readonly #keys: Uint32Array;
  readonly #sameKey: SameKey;

  constructor(sameKey: SameKey) {
    this.#sameKey = sameKey;
    this.#directory = [newSegment(0)];
    const random = randomBytes(24);
    // Make the multipliers odd: multiplying by an odd number is reversible and loses no bits.
    this.#keys = Uint32Array.from({ length: 6 }, (_, i) => readU32(random, i * 4) | 1);
  }

  get size(): number {
    return this.#entries;
  }

  /** Bytes of segments and directory. */
  get allocatedBytes(): number {
    return this.#segmentCount * SEGMENT_BYTES + this.#directory.length * 8;
  }

  /** Returns the keyed hash of the outpoint at bytes[at..at+36), from 128 bits of the txid and the output index. */
  hash(bytes: Uint8Array, at: number): number {
    const k = this.#keys;
    let h = k[5];
    h = Math.imul(h ^ readU32(bytes, at), k[0]);
    h = Math.imul((h ^ (h >>> 15)) + readU32(bytes, at + 4), k[1]);
    h = Math.imul((h ^ (h >>> 13)) + readU32(bytes, at + 8), k[2]);
    h = Math.imul((h ^ (h >>> 16)) + readU32(bytes, at + 12), k[3]);
    h = Math.imul((h ^ (h >>> 15)) + readU32(bytes, at + 32), k[4]);
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return (h ^ (h >>> 16)) >>> 0;
  }

  /** @returns the reference, 0 if the key is not in the table */
  find(hash: number, bytes: Uint8Array, at: number): number {
    const { words } = this.#segmentOf(hash);
    for (let slot = hash & SLOT_MASK; ; slot = (slot + 1) & SLOT_MASK) {
      const ref = words[2 * slot + 1];
      if (ref === 0) return 0;
      if (words[2 * slot] === hash && this.#sameKey(ref, bytes, at)) return ref;
    }
  }

  /** Adds a key that is not in the table. */
  insert(hash: number, ref: number): void {
    let segment = this.#segmentOf(hash);
    while (segment.count >= SPLIT_AT && segment.depth < MAX_DEPTH) {
      this.#split(segment, hash);
      segment = this.#segmentOf(hash);
    }
    // When the depth is at its maximum, segments no longer split and may fill up. One slot must stay empty, or searches
    // would not end.
    if (segment.count >= SEGMENT_SLOTS - 1) throw new RangeError('the table of coins is full');
    place(segment, hash, ref);
    this.#entries++;
  }

  /** Replaces the reference of a key that is in the table. */
  replace(hash: number, oldRef: number, newRef: number): void {
    const segment = this.#segmentOf(hash);
    segment.words[2 * slotOf(segment, hash, oldRef) + 1] = newRef;
  }

  /** Removes an entry that is in the table, and closes the gap that it leaves. */
  remove(hash: number, ref: number): void {
    const segment = this.#segmentOf(hash);
    const { words } = segment;
    let gap = slotOf(segment, hash, ref);
    for (let slot = (gap + 1) & SLOT_MASK; words[2 * slot + 1] !== 0; slot = (slot + 1) & SLOT_MASK) {
      const home = words[2 * slot] & SLOT_MASK;
      // Move the entry back unless its own slot is between the gap and the entry.
      if (((slot - home) & SLOT_MASK) >= ((slot - gap) & SLOT_MASK)) {
        words[2 * gap] = words[2 * slot];
        words[2 * gap + 1] = words[2 * slot + 1];
        gap = slot;
      }
    }
    words[2 * gap + 1] = 0;
    segment.count--;
    this.#entries--;
  }

  #segmentOf(hash: number): Segment {
    return this.#directory[this.#depth === 0 ? 0 : hash >>> (32 - this.#depth)];
  }

  #split(segment: Segment, hash: number): void {
    if (segment.depth === this.#depth) {
      const doubled: Segment[] = new Array(this.#directory.length * 2);
      for (let i = 0; i < this.#directory.length; i++) doubled[2 * i] = doubled[2 * i + 1] = this.#directory[i];
      this.#directory = doubled;
      this.#depth++;
    }
    const depth = segment.depth + 1;
    const low = newSegment(depth);
    const high = newSegment(depth);
    for (let slot = 0; slot < SEGMENT_SLOTS; slot++) {
      const ref = segment.words[2 * slot + 1];
      if (ref === 0) continue;
      const h = segment.words[2 * slot];
      place(((h >>> (32 - depth)) & 1) === 0 ? low : high, h, ref);
    }
    // The directory entries of the old segment are those that share its first bits; the lower half goes to `low`.
    const span = 1 << (this.#depth - segment.depth);
    const first = segment.depth === 0 ? 0 : (hash >>> (32 - segment.depth)) * span;
    for (let i = 0; i < span; i++) this.#directory[first + i] = i < span >> 1 ? low : high;
    this.#segmentCount++;
  }
}

function newSegment(depth: number): Segment {
  return { words: new Uint32Array(2 * SEGMENT_SLOTS), count: 0, depth };
}

function place(segment: Segment, hash: number, ref: number): void {
  let slot = hash & SLOT_MASK;
  while (segment.words[2 * slot + 1] !== 0) slot = (slot + 1) & SLOT_MASK;
  segment.words[2 * slot] = hash;
  segment.words[2 * slot + 1] = ref;
  segment.count++;
}

function slotOf(segment: Segment, hash: number, ref: number): number {
  const { words } = segment;
  for (let slot = hash & SLOT_MASK; ; slot = (slot + 1) & SLOT_MASK) {
    if (words[2 * slot + 1] === ref) return slot;
    if (words[2 * slot + 1] === 0) throw new Error('the entry must be in the table: every cell of the arena that is in use has a slot');
  }
}
