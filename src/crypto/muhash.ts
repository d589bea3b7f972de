// MuHash3072: a hash of a set that can be updated. Each element becomes a number modulo the prime 2^3072 - 1103717. The
// set is the product of its elements, stored as a fraction so that a removal is a multiplication too. Pure. Core:
// src/crypto/muhash.cpp.

import type { Hashes } from './crypto.js';

// Key stream of ChaCha20 (RFC 8439's block function with Bernstein's 64-bit counter), as words.

/** The constant "expand 32-byte k". */
const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;

function quarter(x: Uint32Array, a: number, b: number, c: number, d: number): void {
  x[a] += x[b];
  x[d] = rotate(x[d] ^ x[a], 16);
  x[c] += x[d];
  x[b] = rotate(x[b] ^ x[c], 12);
  x[a] += x[b];
  x[d] = rotate(x[d] ^ x[a], 8);
  x[c] += x[d];
  x[b] = rotate(x[b] ^ x[c], 7);
}

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/**
 * Fills words with the key stream, with nonce 0 and from counter 0 on.
 * @param key 32 bytes
 * @param words receives little-endian words; its length is a multiple of 16
 */
export function chacha20Words(key: Uint8Array, words: Uint32Array): void {
  const view = new DataView(key.buffer, key.byteOffset, 32);
  const input = new Uint32Array(16);
  input.set(SIGMA);
  for (let i = 0; i < 8; i++) input[4 + i] = view.getUint32(i * 4, true);
  for (let at = 0; at < words.length; at += 16) {
    const x = words.subarray(at, at + 16);
    x.set(input);
    for (let round = 0; round < 10; round++) {
      quarter(x, 0, 4, 8, 12);
      quarter(x, 1, 5, 9, 13);
      quarter(x, 2, 6, 10, 14);
      quarter(x, 3, 7, 11, 15);
      quarter(x, 0, 5, 10, 15);
      quarter(x, 1, 6, 11, 12);
      quarter(x, 2, 7, 8, 13);
      quarter(x, 3, 4, 9, 14);
    }
    for (let i = 0; i < 16; i++) x[i] += input[i];
    input[12]++;
  }
}

const BITS = 3072n;
const GAP = 1_103_717n;
const PRIME = (1n << BITS) - GAP;
const MASK = (1n << BITS) - 1n;
const BYTES = 384;
const WORDS = BYTES / 4;

/** Reduces a product below 2^6144 modulo the prime. The result is below 2^3072, not always fully reduced. */
function reduce(product: bigint): bigint {
  let value = product;
  // 2^3072 equals GAP modulo the prime, so the high part folds down, at most twice for a product.
  while (value >> BITS !== 0n) value = (value & MASK) + (value >> BITS) * GAP;
  return value;
}

const multiply = (a: bigint, b: bigint): bigint => reduce(a * b);

/** Returns the inverse modulo the prime by the extended Euclidean algorithm. @param value not 0 modulo the prime */
function invert(value: bigint): bigint {
  let [rest, previous] = [value % PRIME, PRIME];
  let [factor, before] = [1n, 0n];
  while (rest !== 1n) {
    const quotient = previous / rest;
    [previous, rest] = [rest, previous - quotient * rest];
    [before, factor] = [factor, before - quotient * factor];
  }
  return factor < 0n ? factor + PRIME : factor;
}

const words = new Uint32Array(WORDS);
/**
 * View of the 32-bit words as 64-bit words; the first word of a pair is the low half. Node's prebuilt binaries run on
 * little-endian machines only.
 */
const pairs = new BigUint64Array(words.buffer);
const parts: bigint[] = new Array(pairs.length);

/**
 * Returns the words as one number, the first word least significant. Joining neighbours level by level is three times
 * as fast as hex.
 */
function numberOfWords(): bigint {
  let count = pairs.length;
  for (let i = 0; i < count; i++) parts[i] = pairs[i];
  for (let bits = 64n; count > 1; bits *= 2n) {
    let joined = 0;
    for (let i = 0; i < count; i += 2) parts[joined++] = i + 1 < count ? (parts[i + 1] << bits) | parts[i] : parts[i];
    count = joined;
  }
  return parts[0];
}

/** Returns the number for an element: ChaCha20's key stream, with the element's SHA-256 as key. */
function numberOf(element: Uint8Array, hashes: Hashes): bigint {
  chacha20Words(hashes.sha256(element), words);
  return numberOfWords();
}

function toBytes(value: bigint): Uint8Array {
  const hex = value.toString(16).padStart(2 * BYTES, '0');
  const bytes = new Uint8Array(BYTES);
  for (let i = 0; i < BYTES; i++) bytes[i] = Number.parseInt(hex.slice(2 * (BYTES - 1 - i), 2 * (BYTES - i)), 16);
  return bytes;
}

function fromBytes(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, BYTES);
  for (let i = 0; i < WORDS; i++) words[i] = view.getUint32(i * 4, true);
  return numberOfWords();
}

/** Hash of a set of byte strings. The order of additions and removals does not matter. */
export class MuHash {
  #numerator = 1n;
  #denominator = 1n;
  readonly #hashes: Hashes;

  constructor(hashes: Hashes) {
    this.#hashes = hashes;
  }

  insert(element: Uint8Array): void {
    this.#numerator = multiply(this.#numerator, numberOf(element, this.#hashes));
  }

  remove(element: Uint8Array): void {
    this.#denominator = multiply(this.#denominator, numberOf(element, this.#hashes));
  }

  /** Returns the hash of the set, 32 bytes; Core shows it reversed. The set can still be changed. */
  digest(): Uint8Array {
    if (this.#denominator !== 1n) {
      this.#numerator = multiply(this.#numerator, invert(this.#denominator));
      this.#denominator = 1n;
    }
    if (this.#numerator >= PRIME) this.#numerator -= PRIME;
    return this.#hashes.sha256(toBytes(this.#numerator));
  }

  /** Encodes the state: numerator, then denominator, 384 bytes each, little-endian. */
  encode(): Uint8Array {
    const bytes = new Uint8Array(2 * BYTES);
    bytes.set(toBytes(this.#numerator));
    bytes.set(toBytes(this.#denominator), BYTES);
    return bytes;
  }

  /** Decodes a state. @returns null if the length is wrong or a number is impossible for a set */
  static decode(bytes: Uint8Array, hashes: Hashes): MuHash | null {
    if (bytes.length !== 2 * BYTES) return null;
    const set = new MuHash(hashes);
    set.#numerator = fromBytes(bytes.subarray(0, BYTES));
    set.#denominator = fromBytes(bytes.subarray(BYTES));
    return set.#numerator % PRIME === 0n || set.#denominator % PRIME === 0n ? null : set;
  }
}
