// Numbers by ids or outpoints that lie in a block's bytes: a Map needs a text for each of them, which costs more than
// the look-up and leaves thousands of texts behind. Open addressing over the keys' first words, salted, so that no
// sender can make keys that meet in one place. Used by connect.ts.

import { readU32 } from './reader.js';

const FIRST_PLACES = 64;
/** Share of places in use before the table doubles. */
const LOAD = 0.6;

export class KeyTable {
  readonly #salt = Math.floor(Math.random() * 2 ** 32) | 0;
  readonly #keys: Uint8Array[] = [];
  readonly #values: number[] = [];
  #hashes = new Int32Array(FIRST_PLACES);
  /** Place to number of the key, counted from 1; 0 for a free place. */
  #places = new Int32Array(FIRST_PLACES);
  readonly #length: number;

  /** @param length bytes of a key, 32 or more */
  constructor(length: number) {
    this.#length = length;
  }

  /** @returns undefined when the key is not here. What follows its bytes does not matter. */
  get(key: Uint8Array): number | undefined {
    const at = this.#places[this.#find(this.#hash(key), key)];
    return at === 0 ? undefined : this.#values[at - 1];
  }

  has(key: Uint8Array): boolean {
    return this.#places[this.#find(this.#hash(key), key)] !== 0;
  }

  /** @param key is kept, not copied */
  set(key: Uint8Array, value: number): void {
    if (!this.add(key, value)) this.#values[this.#places[this.#find(this.#hash(key), key)] - 1] = value;
  }

  /** The same for a key that is not here. @returns false when it is, and stays as it was */
  add(key: Uint8Array, value: number): boolean {
    if (this.#keys.length + 1 > this.#places.length * LOAD) this.#grow();
    const hash = this.#hash(key);
    const place = this.#find(hash, key);
    if (this.#places[place] !== 0) return false;
    this.#keys.push(key);
    this.#values.push(value);
    this.#places[place] = this.#keys.length;
    this.#hashes[place] = hash;
    return true;
  }

  /** Of the id, and of the number behind it in an outpoint. */
  #hash(key: Uint8Array): number {
    let hash = Math.imul(readU32(key, 0) ^ this.#salt, 0x9e3779b1);
    hash = Math.imul(hash ^ (hash >>> 15) ^ readU32(key, 8), 0x85ebca77);
    hash = Math.imul(hash ^ (hash >>> 13) ^ readU32(key, this.#length - 4) ^ this.#salt, 0xc2b2ae3d);
    return hash ^ (hash >>> 16);
  }

  #find(hash: number, key: Uint8Array): number {
    const mask = this.#places.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const at = this.#places[place];
      if (at === 0 || (this.#hashes[place] === hash && this.#same(this.#keys[at - 1], key))) return place;
    }
  }

  #same(a: Uint8Array, b: Uint8Array): boolean {
    for (let i = 0; i < this.#length; i++) if (a[i] !== b[i]) return false;
    return true;
  }

  #grow(): void {
    const places = this.#places;
    const hashes = this.#hashes;
    this.#places = new Int32Array(places.length * 2);
    this.#hashes = new Int32Array(places.length * 2);
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
