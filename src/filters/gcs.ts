// Golomb-coded sets of BIP-0158: a sorted list of short hashes, stored as differences. The functions have no side
// effects. The caller adds elements one by one, so it can work in slices.

import { encodeCompactSize, parseCompactSize } from '../consensus/bytes/compact-size.js';
import { DecodeError } from '../consensus/bytes/reader.js';
import { type SipKey, sipHash24 } from '../crypto/siphash.js';

/** Number of low bits of a difference that are stored unencoded (BIP-0158, basic filter). */
const P = 19;
const P_VALUE = 2 ** P;
/** Inverse of the false positive rate: one in this many other elements matches by chance. */
const M = 784_931;
/** Largest number of elements. The arithmetic below is exact up to this number, and no block has more. */
const MAX_ELEMENTS = 2 ** 32 - 1;

/**
 * Returns the high bits of a 64-bit hash times a range below 2^53. This maps the hash evenly into the range. The
 * factors are split into parts of 16 bits, which keeps every sum exact.
 */
function placeInRange(low: number, high: number, range: number): number {
  const a0 = low & 0xffff;
  const a1 = low >>> 16;
  const a2 = high & 0xffff;
  const a3 = high >>> 16;
  const rangeHigh = Math.floor(range / 0x1_0000_0000);
  const rangeLow = range >>> 0;
  const b0 = rangeLow & 0xffff;
  const b1 = rangeLow >>> 16;
  const b2 = rangeHigh & 0xffff;
  const b3 = rangeHigh >>> 16;
  let carry = Math.floor((a0 * b0) / 0x1_0000);
  carry = Math.floor((a0 * b1 + a1 * b0 + carry) / 0x1_0000);
  carry = Math.floor((a0 * b2 + a1 * b1 + a2 * b0 + carry) / 0x1_0000);
  carry = Math.floor((a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + carry) / 0x1_0000);
  return a1 * b3 + a2 * b2 + a3 * b1 + carry + (a2 * b3 + a3 * b2) * 0x1_0000 + a3 * b3 * 0x1_0000_0000;
}

/** Returns the bytes as a string, so that they can be used as a key of a Map or Set. */
function textOf(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i++) text += String.fromCharCode(bytes[i]);
  return text;
}

/** Collects the elements of one set. */
export class GcsBuilder {
  readonly #seen = new Set<string>();
  /** Hashes of the elements: for each the low word, then the high word. */
  readonly #hashes: number[] = [];
  readonly #key: SipKey;

  constructor(key: SipKey) {
    this.#key = key;
  }

  /** Adds an element. Adding it again changes nothing. */
  add(element: Uint8Array): void {
    const text = textOf(element);
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    const [low, high] = sipHash24(this.#key, element);
    this.#hashes.push(low, high);
  }

  /** Returns the set in BIP-0158's encoding: the count as compact size, then the differences. */
  finish(): Uint8Array {
    const count = this.#seen.size;
    const places = new Float64Array(count);
    for (let i = 0; i < count; i++) places[i] = placeInRange(this.#hashes[2 * i], this.#hashes[2 * i + 1], count * M);
    places.sort();
    const head = encodeCompactSize(count);
    const bits = new BitWriter(head);
    let before = 0;
    for (const place of places) {
      const difference = place - before;
      bits.ones(Math.floor(difference / P_VALUE));
      bits.write(difference % P_VALUE, P);
      before = place;
    }
    return bits.finish();
  }
}

/** Writes bits, the most significant first. */
class BitWriter {
  #bytes: Uint8Array;
  #length: number;
  #current = 0;
  #free = 8;

  constructor(head: Uint8Array) {
    this.#bytes = new Uint8Array(256);
    this.#bytes.set(head);
    this.#length = head.length;
  }

  /** Writes `count` ones, then a zero. */
  ones(count: number): void {
    for (let left = count; left > 0; left -= Math.min(left, 16)) this.write(0xffff >>> (16 - Math.min(left, 16)), Math.min(left, 16));
    this.write(0, 1);
  }

  write(value: number, count: number): void {
    let left = count;
    while (left > 0) {
      const take = Math.min(left, this.#free);
      const part = (value >>> (left - take)) & ((1 << take) - 1);
      this.#current |= part << (this.#free - take);
      this.#free -= take;
      left -= take;
      if (this.#free === 0) this.#push();
    }
  }

  #push(): void {
    if (this.#length === this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length * 2);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.#length++] = this.#current;
    this.#current = 0;
    this.#free = 8;
  }

  finish(): Uint8Array {
    if (this.#free < 8) this.#push();
    return this.#bytes.slice(0, this.#length);
  }
}

/**
 * Decodes the hashes of a set in order. Checks limits before anything is allocated.
 * @throws DecodeError
 */
function decodePlaces(filter: Uint8Array): { count: number; places: Float64Array } {
  const { value, length } = parseCompactSize(filter);
  // Each element takes P low bits, and at least one bit for the zero that ends the unary part.
  if (value > BigInt(MAX_ELEMENTS) || Number(value) * (P + 1) > (filter.length - length) * 8) throw new DecodeError('filter too short');
  const count = Number(value);
  const places = new Float64Array(count);
  let at = length * 8;
  const end = filter.length * 8;
  const bit = (): number => {
    if (at >= end) throw new DecodeError('filter too short');
    const value = (filter[at >> 3] >> (7 - (at & 7))) & 1;
    at++;
    return value;
  };
  let place = 0;
  for (let i = 0; i < count; i++) {
    let quotient = 0;
    while (bit() === 1) quotient++;
    let rest = 0;
    for (let b = 0; b < P; b++) rest = rest * 2 + bit();
    place += quotient * P_VALUE + rest;
    places[i] = place;
  }
  if (end - at >= 8) throw new DecodeError('filter too long');
  return { count, places };
}

/**
 * Returns whether one of the elements may be in the set. True if one is in the set; otherwise true by chance for each
 * element once in about 785,000.
 * @throws DecodeError
 */
export function matchesAny(filter: Uint8Array, key: SipKey, elements: readonly Uint8Array[]): boolean {
  const { count, places } = decodePlaces(filter);
  if (count === 0 || elements.length === 0) return false;
  const wanted = new Float64Array(elements.length);
  for (let i = 0; i < elements.length; i++) {
    const [low, high] = sipHash24(key, elements[i]);
    wanted[i] = placeInRange(low, high, count * M);
  }
  wanted.sort();
  for (let i = 0, j = 0; i < wanted.length && j < count; ) {
    if (wanted[i] === places[j]) return true;
    if (wanted[i] < places[j]) i++;
    else j++;
  }
  return false;
}
