// Hash table from byte strings to row numbers: open addressing over typed arrays, key bytes in one arena, no object per
// key. A million 25-byte keys take about 60 MB and load in well under a second. Owners store columns indexed by row.
// Rows are numbered from 0 in order of insertion and are never reused. The number of a removed row stays unused.

import type { TableImage } from '../image/table-image.js';

/**
 * A slot of the hash table has row + 1, then the hash of the key, so that a miss reads no key. Row 0 means empty, TOMB
 * marks a removed key.
 */
const TOMB = 0xffffffff;
const NONE = -1;

function hashBytes(bytes: Uint8Array, from: number, length: number): number {
  // Words of four bytes, multiplied and rotated, with a final mix. Keys are hashes, or scripts that contain hashes. An
  // attacker who chooses them can at most slow down lookups of one wallet, because only scripts that its owner imported
  // are added.
  let h = 0x811c9dc5 ^ length;
  let at = from;
  for (const whole = from + (length & ~3); at < whole; at += 4) {
    h = Math.imul(h ^ (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)), 0x85ebca6b);
    h = (h << 13) | (h >>> 19);
  }
  for (const end = from + length; at < end; at++) h = Math.imul(h ^ bytes[at], 0x01000193);
  h ^= h >>> 16;
  h = Math.imul(h, 0x2c1b3c6d);
  return (h ^ (h >>> 13)) >>> 0;
}

/** Returns a column that has index `need`, doubling its size if necessary. */
export function grown<T extends Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array>(column: T, need: number): T {
  if (need < column.length) return column;
  const next = new (column.constructor as new (size: number) => T)(Math.max(need + 1, column.length * 2));
  next.set(column);
  return next;
}

export class ByteTable {
  #slots = new Uint32Array(64 * 2);
  #used = 0;
  #arena = new Uint8Array(1024);
  #arenaEnd = 0;
  #starts = new Float64Array(32);
  #lengths = new Int32Array(32);
  #rows = 0;
  #live = 0;

  get size(): number {
    return this.#live;
  }
  /** Number of rows ever created, including removed ones. */
  get rows(): number {
    return this.#rows;
  }
  /** Memory of the table, bytes. */
  get usedBytes(): number {
    return this.#slots.byteLength + this.#arena.byteLength + this.#starts.byteLength + this.#lengths.byteLength;
  }

  /** Returns the row of a key; -1 if absent. */
  find(key: Uint8Array): number {
    const slot = this.#slotOf(key);
    return slot < 0 ? NONE : this.#slots[slot] - 1;
  }
  has(key: Uint8Array): boolean {
    return this.#slotOf(key) >= 0;
  }

  /** Returns the row of a key, and adds it if absent. To see whether it was added, compare `rows` before and after. */
  add(key: Uint8Array): number {
    const hash = hashBytes(key, 0, key.length);
    const found = this.#slotOf(key, hash);
    if (found !== NONE) return this.#slots[found] - 1;
    if ((this.#used + 1) * 8 > this.#slots.length * 3) this.#rehash();
    const row = this.#rows++;
    this.#starts = grown(this.#starts, row);
    this.#lengths = grown(this.#lengths, row);
    this.#starts[row] = this.#arenaEnd;
    this.#lengths[row] = key.length;
    this.#arena = grown(this.#arena, this.#arenaEnd + key.length);
    this.#arena.set(key, this.#arenaEnd);
    this.#arenaEnd += key.length;
    this.#place(row, hash);
    this.#used++;
    this.#live++;
    return row;
  }

  /** Removes a key. @returns the row of the key; -1 if there was none */
  remove(key: Uint8Array): number {
    const slot = this.#slotOf(key);
    if (slot < 0) return NONE;
    const row = this.#slots[slot] - 1;
    this.#slots[slot] = TOMB;
    this.#lengths[row] = NONE;
    this.#live--;
    return row;
  }

  /** Returns whether the key of a row was not removed. */
  isLive(row: number): boolean {
    return row >= 0 && row < this.#rows && this.#lengths[row] !== NONE;
  }
  /** Returns the key of a row that was not removed: a view that later insertions may invalidate. */
  key(row: number): Uint8Array {
    const start = this.#starts[row];
    return this.#arena.subarray(start, start + this.#lengths[row]);
  }
  /** Compares the keys of two rows as bytes: negative, 0 or positive. */
  compare(a: number, b: number): number {
    const [arena, x, y] = [this.#arena, this.#starts[a], this.#starts[b]];
    const shared = Math.min(this.#lengths[a], this.#lengths[b]);
    for (let i = 0; i < shared; i++) {
      const difference = arena[x + i] - arena[y + i];
      if (difference !== 0) return difference;
    }
    return this.#lengths[a] - this.#lengths[b];
  }
  /** Yields all rows except removed ones, in order of insertion. */
  *liveRows(): Generator<number> {
    for (let row = 0; row < this.#rows; row++) if (this.#lengths[row] !== NONE) yield row;
  }

  /** Saves the table to an image, or restores it from one. */
  transferImage(at: TableImage): void {
    const size = at.number(this.#slots.length);
    this.#used = at.number(this.#used);
    this.#arenaEnd = at.number(this.#arenaEnd);
    this.#rows = at.number(this.#rows);
    this.#live = at.number(this.#live);
    // The number of slots is a power of two, so there must be no spare capacity.
    this.#slots = at.column(this.#slots, size).subarray(0, size);
    this.#arena = at.column(this.#arena, this.#arenaEnd);
    this.#starts = at.column(this.#starts, this.#rows);
    this.#lengths = at.column(this.#lengths, this.#rows);
  }

  /** Returns the index of a key's slot; -1 if absent. */
  #slotOf(key: Uint8Array, hash: number = hashBytes(key, 0, key.length)): number {
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot * 2];
      if (entry === 0) return NONE;
      if (entry !== TOMB && slots[slot * 2 + 1] === hash && this.#equals(entry - 1, key)) return slot * 2;
    }
  }
  #equals(row: number, key: Uint8Array): boolean {
    if (this.#lengths[row] !== key.length) return false;
    const start = this.#starts[row];
    for (let i = 0; i < key.length; i++) if (this.#arena[start + i] !== key[i]) return false;
    return true;
  }
  #place(row: number, hash: number): void {
    const mask = this.#slots.length / 2 - 1;
    let slot = hash & mask;
    while (this.#slots[slot * 2] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot * 2] = row + 1;
    this.#slots[slot * 2 + 1] = hash;
  }
  #rehash(): void {
    let size = 64;
    while (size < (this.#live + 1) * 2) size *= 2;
    const old = this.#slots;
    this.#slots = new Uint32Array(size * 2);
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] !== 0 && old[at] !== TOMB) this.#place(old[at] - 1, old[at + 1]);
    }
    this.#used = this.#live;
  }
}
