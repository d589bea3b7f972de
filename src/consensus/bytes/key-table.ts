// Hash table from ids or outpoints in a block's bytes to numbers. A Map would need a string per key, which costs more
// than the lookup, and the garbage collector would have to free thousands of strings. The table uses open addressing
// over the first words of the keys. Hashes are salted, so that no sender can create colliding keys.

import { readU32 } from './reader.js';

const FIRST_PLACES = 64;
/** Share of used slots above which the table doubles. */
const LOAD = 0.6;

export class KeyTable {
  readonly #salt = Math.floor(Math.random() * 2 ** 32) | 0;
  /** Buffer that contains each key. Keys are neither copied nor wrapped in views. */
  readonly #buffers: Uint8Array[] = [];
  #starts: Int32Array;
  #values: Int32Array;
  #hashes: Int32Array;
  /** Number of the key in each slot, counted from 1; 0 for a free slot. */
  #places: Int32Array;
  readonly #length: number;

  /**
   * Creates a table.
   * @param length bytes of a key, 32 or more
   * @param expected number of expected keys, to avoid growing
   */
  constructor(length: number, expected = 0) {
    this.#length = length;
    let places = FIRST_PLACES;
    while (expected > keysOf(places)) places *= 2;
    this.#hashes = new Int32Array(places);
    this.#places = new Int32Array(places);
    this.#starts = new Int32Array(keysOf(places));
    this.#values = new Int32Array(keysOf(places));
  }

  /** Returns the number of the key at bytes[at]; undefined if it is not in the table. */
  get(bytes: Uint8Array, at = 0): number | undefined {
    const key = this.#places[this.#find(this.#hash(bytes, at), bytes, at)];
    return key === 0 ? undefined : this.#values[key - 1];
  }

  /**
   * Adds a key.
   * @param bytes buffer with the key at `at`. Must not change, because the key is not copied
   * @param value 32 bits, signed
   * @returns false if the key is in the table already; its value then stays the same
   */
  add(bytes: Uint8Array, at: number, value: number): boolean {
    if (this.#buffers.length === this.#starts.length) this.#grow();
    const hash = this.#hash(bytes, at);
    const place = this.#find(hash, bytes, at);
    if (this.#places[place] !== 0) return false;
    const key = this.#buffers.push(bytes);
    this.#starts[key - 1] = at;
    this.#values[key - 1] = value;
    this.#places[place] = key;
    this.#hashes[place] = hash;
    return true;
  }

  /** Returns the hash of an id, or of an outpoint: its id and the output index after it. */
  #hash(bytes: Uint8Array, at: number): number {
    let hash = Math.imul(readU32(bytes, at) ^ this.#salt, 0x9e3779b1);
    hash = Math.imul(hash ^ (hash >>> 15) ^ readU32(bytes, at + 8), 0x85ebca77);
    hash = Math.imul(hash ^ (hash >>> 13) ^ readU32(bytes, at + this.#length - 4) ^ this.#salt, 0xc2b2ae3d);
    return hash ^ (hash >>> 16);
  }

  #find(hash: number, bytes: Uint8Array, at: number): number {
    const mask = this.#places.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const key = this.#places[place];
      if (key === 0 || (this.#hashes[place] === hash && this.#same(key - 1, bytes, at))) return place;
    }
  }

  #same(key: number, bytes: Uint8Array, at: number): boolean {
    const own = this.#buffers[key];
    const start = this.#starts[key];
    for (let i = 0; i < this.#length; i++) if (own[start + i] !== bytes[at + i]) return false;
    return true;
  }

  #grow(): void {
    const places = this.#places;
    const hashes = this.#hashes;
    this.#places = new Int32Array(places.length * 2);
    this.#hashes = new Int32Array(places.length * 2);
    this.#starts = grown(this.#starts, keysOf(places.length * 2));
    this.#values = grown(this.#values, keysOf(places.length * 2));
    const mask = this.#places.length - 1;
    for (let from = 0; from < places.length; from++) {
      if (places[from] === 0) continue;
      let place = hashes[from] & mask;
      while (this.#places[place] !== 0) place = (place + 1) & mask;
      this.#places[place] = places[from];
      this.#hashes[place] = hashes[from];
    }
  }
}

/** Returns the number of keys that this number of slots may hold. */
const keysOf = (places: number): number => Math.floor(places * LOAD);

/** Returns a longer copy of the numbers. */
function grown(numbers: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const more = new Int32Array(length);
  more.set(numbers);
  return more;
}
