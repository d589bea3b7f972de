// Hash table with open addressing over rows. A Map with a string for each id or outpoint would need more memory than
// the transactions themselves. A slot holds a row, the hash of its key, and optionally the offset of the key in the
// row's record. Keys are compared with the bytes in the arena.
//
// Hashes are salted, so that an attacker cannot create colliding keys. The table stores the hashes, so growing and
// deleting read no records.
import { randomBytes } from 'node:crypto';
import { readU32 } from '../consensus/bytes/reader.js';
import { NO_ROW } from './rows.js';

const FIRST_PLACES = 64;
/** Share of used slots above which the table doubles. */
const LOAD = 0.8;
/** Fields of a slot: row, hash, and in marked tables the offset of the key. */
const ROW = 0;
const HASH = 1;
const MARK = 2;

export abstract class OpenTable {
  readonly #salt = new Uint32Array(new Uint8Array(randomBytes(8)).buffer);
  readonly #width: number;
  #places: Int32Array;
  #mask = FIRST_PLACES - 1;
  #size = 0;

  /** @param marked whether a number is stored with each row */
  constructor(marked: boolean) {
    this.#width = marked ? 3 : 2;
    this.#places = new Int32Array(FIRST_PLACES * this.#width).fill(NO_ROW);
  }

  get size(): number {
    return this.#size;
  }

  /** Returns whether the key at `at` equals the key in the row's record. */
  protected abstract same(row: number, mark: number, key: Uint8Array, at: number): boolean;

  /** Returns the hash of the 32 bytes at `at` and the number `extra`. */
  protected hash(key: Uint8Array, at: number, extra: number): number {
    let hash = Math.imul(readU32(key, at) ^ this.#salt[0], 0x9e3779b1);
    hash = Math.imul(hash ^ (hash >>> 15) ^ readU32(key, at + 8) ^ this.#salt[1], 0x85ebca77);
    hash = Math.imul(hash ^ (hash >>> 13) ^ extra, 0xc2b2ae3d);
    return hash ^ (hash >>> 16);
  }

  protected findRow(hash: number, key: Uint8Array, at: number): number {
    return this.#places[this.#find(hash, key, at) + ROW];
  }

  /** Sets the row of a key. A row that the key had before is replaced. */
  protected putRow(hash: number, key: Uint8Array, at: number, row: number, mark: number): void {
    if (this.#size + 1 > (this.#mask + 1) * LOAD) this.#grow();
    const place = this.#find(hash, key, at);
    if (this.#places[place + ROW] === NO_ROW) this.#size++;
    this.#places[place + ROW] = row;
    this.#places[place + HASH] = hash;
    if (this.#width > MARK) this.#places[place + MARK] = mark;
  }

  /** Removes a key if it belongs to this row. */
  protected dropRow(hash: number, key: Uint8Array, at: number, row: number): void {
    const places = this.#places;
    const width = this.#width;
    const mask = this.#mask;
    const found = this.#find(hash, key, at);
    if (places[found + ROW] !== row) return;
    this.#size--;
    // Move later slots that belong before the hole, so that no search ends too early.
    let hole = found / width;
    for (let index = (hole + 1) & mask; places[index * width + ROW] !== NO_ROW; index = (index + 1) & mask) {
      const home = places[index * width + HASH] & mask;
      if (((index - home) & mask) < ((index - hole) & mask)) continue;
      // Copy the two or three numbers in a loop, because a call of copyWithin takes longer.
      for (let i = 0; i < width; i++) places[hole * width + i] = places[index * width + i];
      hole = index;
    }
    places[hole * width + ROW] = NO_ROW;
  }

  /** Returns the index of a key's slot, or of the empty slot where it would be. */
  #find(hash: number, key: Uint8Array, at: number): number {
    const places = this.#places;
    const width = this.#width;
    for (let index = hash & this.#mask; ; index = (index + 1) & this.#mask) {
      const place = index * width;
      const row = places[place + ROW];
      if (row === NO_ROW) return place;
      if (places[place + HASH] === hash && this.same(row, width > MARK ? places[place + MARK] : 0, key, at)) return place;
    }
  }

  #grow(): void {
    const old = this.#places;
    const width = this.#width;
    const mask = this.#mask * 2 + 1;
    const places = new Int32Array((mask + 1) * width).fill(NO_ROW);
    for (let from = 0; from < old.length; from += width) {
      if (old[from + ROW] === NO_ROW) continue;
      let index = old[from + HASH] & mask;
      while (places[index * width + ROW] !== NO_ROW) index = (index + 1) & mask;
      for (let i = 0; i < width; i++) places[index * width + i] = old[from + i];
    }
    this.#places = places;
    this.#mask = mask;
  }
}

/** Length in bytes from which a native comparison is faster: 0.2 us for 370 bytes, the loop takes 1 us. */
const CALL_BYTES = 64;
const { compare } = Buffer.prototype;

/** Returns whether `count` bytes are equal. */
export function sameBytes(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number, count: number): boolean {
  if (count >= CALL_BYTES) return compare.call(a, b, bAt, bAt + count, aAt, aAt + count) === 0;
  for (let i = 0; i < count; i++) if (a[aAt + i] !== b[bAt + i]) return false;
  return true;
}
