// SHA-256, RIPEMD-160 and SHA-1 by calling the OpenSSL inside the Node process through koffi. node:crypto spends most
// of its time on creating objects.
//
// A call through koffi costs more than hashing a block, so each hash takes one call: this file pads the message and
// writes the initial state, and `update` runs over whole blocks. Small data is copied through one fixed block of memory
// outside the garbage-collected heap, whose address is read once:
//
//   0     states      128 each for SHA-256, RIPEMD-160, SHA-1 and streams: SHA256_CTX is 112 bytes, the others less;
//                     all begin with the words of the state
//   512   out         result
//   576   input       up to INPUT_SIZE bytes and their padding; longer input is read in place
//   4800  second      the second message of sha256d: 32 bytes, and padding that never changes

import type { LibraryHandle } from 'koffi';
import { type Hashes, joinPieces, type Sha256Stream } from '../crypto.js';
import { koffi } from './koffi.js';

const CONTEXT_SIZE = 128;
const STREAM = 3 * CONTEXT_SIZE;
const OUT = 512;
const INPUT = 576;
const INPUT_SIZE = 4096;
const BLOCK = 64;
const HASH = 32;
const HASH_WORDS = 8;
/** Words of a pair of hashes. */
const PAIR_WORDS = 16;
/** Offset of the second message of sha256d. */
const SECOND = INPUT + INPUT_SIZE + 2 * BLOCK;
/** Size in bytes below which a loop copies faster than Uint8Array.set, which needs a view. */
const SHORT = 16;
/** Offset of the length in the last block. */
const LENGTH_AT = 56;

/** Hash function of the library. */
interface Native {
  /** Offset of its context. */
  readonly at: number;
  /** Words of the initial state. The result has the same number of words. */
  readonly initial: Uint32Array;
  /** True if state and length are big-endian. */
  readonly bigEndian: boolean;
  /**
   * Functions of the library. Both return 1. Given whole blocks, they change only the state and a counter that this
   * file does not use.
   */
  update(context: number, address: number, length: number): number;
  updateArray(context: number, data: Uint8Array, length: number): number;
}

/** Scratch memory of one thread, and the functions that use it. */
class DirectHashes {
  readonly #memory = new Uint8Array(new ArrayBuffer(SECOND + BLOCK));
  /** View of the scratch memory as 32-bit words in the machine's byte order. */
  readonly #words = new Uint32Array(this.#memory.buffer);
  readonly #base: number;
  readonly #sha256: Native;
  readonly #ripemd160: Native;
  readonly #sha1: Native;
  readonly #finalSha256: (out: number, context: number) => number;
  /** Cached states after the first block of a tagged hash, by tag. That block is the tag's hash twice (BIP-0340). */
  readonly #midstates = new Map<string, Uint32Array>();

  constructor(library: LibraryHandle) {
    // Addresses are passed as numbers: user memory is below 2^53 on every 64-bit system, and numbers are faster than
    // bigints.
    this.#base = Number(koffi().address(this.#memory));
    this.#sha256 = this.#bind(library, 'SHA256', 0, 8, true);
    this.#ripemd160 = this.#bind(library, 'RIPEMD160', CONTEXT_SIZE, 5, false);
    this.#sha1 = this.#bind(library, 'SHA1', 2 * CONTEXT_SIZE, 5, true);
    this.#pad(SECOND + HASH, SECOND + BLOCK, HASH);
    this.#finalSha256 = library.func('SHA256_Final', 'int', ['size_t', 'size_t']);
  }

  #bind(library: LibraryHandle, name: string, at: number, stateWords: number, bigEndian: boolean): Native {
    library.func(`${name}_Init`, 'int', ['size_t'])(this.#base + at);
    return {
      at,
      initial: this.#words.slice(at >> 2, (at >> 2) + stateWords),
      bigEndian,
      update: library.func(`${name}_Update`, 'int', ['size_t', 'size_t', 'size_t']),
      updateArray: library.func(`${name}_Update`, 'int', ['size_t', 'void*', 'size_t']),
    };
  }

  sha256(data: Uint8Array): Uint8Array {
    this.#hash(this.#sha256, data);
    return this.#result(this.#sha256);
  }

  sha256d(data: Uint8Array): Uint8Array {
    this.#hash(this.#sha256, data);
    this.#secondSha256(this.#memory, OUT);
    return this.#memory.slice(OUT, OUT + HASH);
  }

  /** Writes the padding once and allocates nothing, so it takes half the time of separate calls of sha256d. */
  sha256dPairs(from: Uint8Array, at: number, count: number, to: Uint8Array, toAt: number): void {
    const sha256 = this.#sha256;
    const words = this.#words;
    // A level of a tree is usually aligned: 16 words are copied in a fifth of the time of 64 bytes.
    const aligned = ((from.byteOffset + at) & 3) === 0;
    const source = aligned ? new Uint32Array(from.buffer, from.byteOffset + at, count * PAIR_WORDS) : null;
    this.#pad(INPUT + 2 * HASH, INPUT + 2 * BLOCK, 2 * HASH);
    for (let i = 0; i < count; i++) {
      if (source !== null) {
        for (let k = 0, word = i * PAIR_WORDS; k < PAIR_WORDS; k++) words[(INPUT >> 2) + k] = source[word + k];
      } else {
        for (let k = 0, pair = at + i * 2 * HASH; k < 2 * HASH; k++) this.#memory[INPUT + k] = from[pair + k];
      }
      this.#setState(sha256, sha256.initial);
      sha256.update(this.#base + sha256.at, this.#base + INPUT, 2 * BLOCK);
      this.#secondSha256(to, toAt + i * HASH);
    }
  }

  /** Leaves the result of each step where the next step reads it, so it takes two thirds of the time of single pairs. */
  sha256dPath(hash: Uint8Array, siblings: Uint32Array): void {
    const sha256 = this.#sha256;
    const words = this.#words;
    const state = sha256.at >> 2;
    this.#memory.set(hash, INPUT);
    this.#pad(INPUT + 2 * HASH, INPUT + 2 * BLOCK, 2 * HASH);
    for (let at = 0; at < siblings.length; at += HASH_WORDS) {
      for (let k = 0; k < HASH_WORDS; k++) words[(INPUT >> 2) + HASH_WORDS + k] = siblings[at + k];
      this.#setState(sha256, sha256.initial);
      sha256.update(this.#base + sha256.at, this.#base + INPUT, 2 * BLOCK);
      for (let k = 0; k < HASH_WORDS; k++) words[(SECOND >> 2) + k] = swapped(words[state + k]);
      this.#setState(sha256, sha256.initial);
      sha256.update(this.#base + sha256.at, this.#base + SECOND, BLOCK);
      for (let k = 0; k < HASH_WORDS; k++) words[(INPUT >> 2) + k] = swapped(words[state + k]);
    }
    for (let k = 0; k < HASH; k++) hash[k] = this.#memory[INPUT + k];
  }

  /** Copies the pieces once, and neither joins them nor allocates. */
  sha256dPieces(from: Uint8Array, pieces: Int32Array, count: number, to: Uint8Array, toAt: number): void {
    let length = 0;
    for (let i = 0; i < 2 * count; i += 2) length += pieces[i + 1] - pieces[i];
    if (length > INPUT_SIZE) {
      to.set(this.sha256d(joinPieces(from, pieces, count)), toAt);
      return;
    }
    const memory = this.#memory;
    for (let i = 0, input = INPUT; i < 2 * count; i += 2) {
      const [start, end] = [pieces[i], pieces[i + 1]];
      if (end - start < SHORT) for (let k = start; k < end; k++) memory[input + k - start] = from[k];
      else memory.set(from.subarray(start, end), input);
      input += end - start;
    }
    this.#setState(this.#sha256, this.#sha256.initial);
    this.#last(this.#sha256, length, length);
    this.#secondSha256(to, toAt);
  }

  /** Hashes the result of SHA-256 once more, and writes 32 bytes to to[toAt]. */
  #secondSha256(to: Uint8Array, toAt: number): void {
    const words = this.#words;
    const state = this.#sha256.at >> 2;
    for (let k = 0; k < 8; k++) words[(SECOND >> 2) + k] = swapped(words[state + k]);
    this.#setState(this.#sha256, this.#sha256.initial);
    this.#sha256.update(this.#base + this.#sha256.at, this.#base + SECOND, BLOCK);
    for (let k = 0, out = toAt; k < 8; k++, out += 4) {
      const word = words[state + k];
      to[out] = word >>> 24;
      to[out + 1] = word >>> 16;
      to[out + 2] = word >>> 8;
      to[out + 3] = word;
    }
  }

  /** Pads a short message that ends at `at`, up to the end of its last block. @param length of the message */
  #pad(at: number, end: number, length: number): void {
    this.#memory.fill(0, at, end);
    this.#memory[at] = 0x80;
    this.#words[(end >> 2) - 1] = swapped(length * 8);
  }

  hash160(data: Uint8Array): Uint8Array {
    this.#hash(this.#sha256, data);
    return this.#ripemd160OfResult();
  }

  ripemd160(data: Uint8Array): Uint8Array {
    this.#hash(this.#ripemd160, data);
    return this.#result(this.#ripemd160);
  }

  sha1(data: Uint8Array): Uint8Array {
    this.#hash(this.#sha1, data);
    return this.#result(this.#sha1);
  }

  taggedHash(tag: string, parts: readonly Uint8Array[]): Uint8Array {
    let midstate = this.#midstates.get(tag);
    if (midstate === undefined) {
      const tagHash = this.sha256(new TextEncoder().encode(tag));
      this.#memory.set(tagHash, INPUT);
      this.#memory.set(tagHash, INPUT + 32);
      this.#setState(this.#sha256, this.#sha256.initial);
      this.#blocks(this.#sha256, BLOCK);
      midstate = this.#words.slice(0, 8);
      this.#midstates.set(tag, midstate);
    }
    let length = 0;
    for (const part of parts) length += part.length;
    let first = parts[0];
    if (parts.length !== 1) {
      first = new Uint8Array(length);
      let at = 0;
      for (const part of parts) {
        first.set(part, at);
        at += part.length;
      }
    }
    this.#setState(this.#sha256, midstate);
    this.#message(this.#sha256, first, BLOCK);
    return this.#result(this.#sha256);
  }

  /** Returns the initial state of a SHA-256 stream. */
  streamStart(): Uint8Array {
    const state = this.#memory.slice(0, CONTEXT_SIZE);
    new Uint32Array(state.buffer).set(this.#sha256.initial);
    // Number of bytes hashed so far.
    state.fill(0, 32, 40);
    return state;
  }

  /** Updates a state in place. */
  streamUpdate(state: Uint8Array, data: Uint8Array): Uint8Array {
    this.#memory.set(state, STREAM);
    if (data.length <= INPUT_SIZE) {
      this.#memory.set(data, INPUT);
      this.#sha256.update(this.#base + STREAM, this.#base + INPUT, data.length);
    } else {
      this.#sha256.updateArray(this.#base + STREAM, data, data.length);
    }
    state.set(this.#memory.subarray(STREAM, STREAM + CONTEXT_SIZE));
    return state;
  }

  streamFinish(state: Uint8Array): Uint8Array {
    this.#memory.set(state, STREAM);
    this.#finalSha256(this.#base + OUT, this.#base + STREAM);
    return this.#memory.slice(OUT, OUT + 32);
  }

  #setState({ at }: Native, state: Uint32Array): void {
    const words = this.#words;
    for (let i = 0; i < state.length; i++) words[(at >> 2) + i] = state[i];
  }

  /** Updates the state with whole blocks at INPUT. */
  #blocks(native: Native, bytes: number): void {
    native.update(this.#base + native.at, this.#base + INPUT, bytes);
  }

  /** Hashes a message. Afterwards the library's context has the final state. */
  #hash(native: Native, data: Uint8Array): void {
    this.#setState(native, native.initial);
    this.#message(native, data, 0);
  }

  /** Updates a state with the rest of a message. @param before bytes that were hashed before, whole blocks */
  #message(native: Native, data: Uint8Array, before: number): void {
    let rest = data;
    if (data.length > INPUT_SIZE) {
      const whole = data.length - (data.length % BLOCK);
      native.updateArray(this.#base + native.at, data, whole);
      rest = data.subarray(whole);
    }
    this.#memory.set(rest, INPUT);
    this.#last(native, rest.length, before + data.length);
  }

  /** Updates a state with the last bytes at INPUT and the padding of a message of `total` bytes. */
  #last({ at, bigEndian, update }: Native, length: number, total: number): void {
    const memory = this.#memory;
    const end = INPUT + length - (length % BLOCK) + (length % BLOCK < LENGTH_AT ? LENGTH_AT : BLOCK + LENGTH_AT);
    memory[INPUT + length] = 0x80;
    let zero = INPUT + length + 1;
    while ((zero & 3) !== 0) memory[zero++] = 0;
    for (let word = zero >> 2; word < end >> 2; word++) this.#words[word] = 0;
    const low = (total << 3) >>> 0;
    const high = Math.floor(total / 2 ** 29);
    this.#words[end >> 2] = bigEndian ? swapped(high) : low;
    this.#words[(end >> 2) + 1] = bigEndian ? swapped(low) : high;
    update(this.#base + at, this.#base + INPUT, end + 8 - INPUT);
  }

  /** Applies RIPEMD-160 to the result of SHA-256. */
  #ripemd160OfResult(): Uint8Array {
    for (let i = 0; i < 8; i++) this.#words[(INPUT >> 2) + i] = swapped(this.#words[i]);
    this.#setState(this.#ripemd160, this.#ripemd160.initial);
    this.#last(this.#ripemd160, HASH, HASH);
    return this.#result(this.#ripemd160);
  }

  #result({ at, initial, bigEndian }: Native): Uint8Array {
    const words = this.#words;
    for (let i = 0; i < initial.length; i++) {
      const word = words[(at >> 2) + i];
      words[(OUT >> 2) + i] = bigEndian ? swapped(word) : word;
    }
    return this.#memory.slice(OUT, OUT + 4 * initial.length);
  }
}

/** Reverses the bytes of a word. */
function swapped(word: number): number {
  return ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0;
}

class DirectSha256Stream implements Sha256Stream {
  readonly #hashes: DirectHashes;
  readonly #state: Uint8Array;

  constructor(hashes: DirectHashes) {
    this.#hashes = hashes;
    this.#state = hashes.streamStart();
  }

  update(data: Uint8Array): Sha256Stream {
    this.#hashes.streamUpdate(this.#state, data);
    return this;
  }

  digest(): Uint8Array {
    return this.#hashes.streamFinish(this.#state);
  }
}

/** Lengths of the probe inputs, on both sides of every boundary: blocks of 64, padding at 56, and the input limit. */
const PROBE_LENGTHS = [0, 1, 55, 56, 63, 64, 65, 119, 120, 1_000, INPUT_SIZE, INPUT_SIZE + 1, 10_000];

/** Returns whether two implementations agree on the probes. This detects an incompatible OpenSSL before it is used. */
function agree(ours: Hashes, theirs: Hashes): boolean {
  const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
  const probe = Uint8Array.from({ length: Math.max(...PROBE_LENGTHS) }, (_, i) => (i * 7) & 0xff);
  const pairs = (hashes: Hashes, data: Uint8Array): Uint8Array => {
    const level = data.slice();
    hashes.sha256dPairs(level, 0, level.length >> 6, level, 0);
    return level;
  };
  const path = (hashes: Hashes, data: Uint8Array): Uint8Array => {
    const hash = new Uint8Array(HASH).fill(9);
    hashes.sha256dPath(hash, new Uint32Array(data.slice(0, data.length & -HASH).buffer));
    return hash;
  };
  const pieces = (hashes: Hashes, data: Uint8Array): Uint8Array => {
    const hash = new Uint8Array(HASH);
    const [third, half] = [Math.floor(data.length / 3), data.length >> 1];
    hashes.sha256dPieces(data, Int32Array.of(0, third, half, data.length, third, half), 3, hash, 0);
    return hash;
  };
  return PROBE_LENGTHS.every((length) => {
    const data = probe.slice(0, length);
    const names = ['sha256', 'sha256d', 'sha1', 'ripemd160', 'hash160'] as const;
    return (
      names.every((name) => same(ours[name](data), theirs[name](data))) &&
      same(pairs(ours, data), pairs(theirs, data)) &&
      same(path(ours, data), path(theirs, data)) &&
      same(pieces(ours, data), pieces(theirs, data)) &&
      same(ours.taggedHash('TapLeaf', data, data), theirs.taggedHash('TapLeaf', data, data)) &&
      same(ours.sha256Stream().update(data).update(data).digest(), theirs.sha256Stream().update(data).update(data).digest())
    );
  });
}

/**
 * Returns the direct hashes; null if the process exports no OpenSSL functions or if their results differ from the
 * reference.
 * @param reference null if another thread has compared them
 */
export function loadDirectHashes(reference: Hashes | null): Hashes | null {
  try {
    const direct = new DirectHashes(koffi().load(null));
    const hashes: Hashes = {
      sha256: (data) => direct.sha256(data),
      sha256d: (data) => direct.sha256d(data),
      sha256dPairs: (from, at, count, to, toAt) => direct.sha256dPairs(from, at, count, to, toAt),
      sha256dPath: (hash, siblings) => direct.sha256dPath(hash, siblings),
      sha256dPieces: (from, pieces, count, to, toAt) => direct.sha256dPieces(from, pieces, count, to, toAt),
      sha1: (data) => direct.sha1(data),
      ripemd160: (data) => direct.ripemd160(data),
      hash160: (data) => direct.hash160(data),
      sha256Stream: () => new DirectSha256Stream(direct),
      taggedHash: (tag, ...parts) => direct.taggedHash(tag, parts),
    };
    return reference === null || agree(hashes, reference) ? hashes : null;
  } catch {
    return null;
  }
}
