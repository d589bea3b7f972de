// SHA-256, RIPEMD-160 and SHA-1 by calling the OpenSSL inside the node process through koffi, past node:crypto: that
// spends most of its time on objects. Called by crypto/native/hashes.ts, once per thread. Measured on Node 20 with SHA
// instructions: sha256 of 32 bytes 0.17 us against 0.65, sha256d of 182 bytes 0.33 against 1.3, hash160 0.45 against
// 1.7.
//
// Everything small is copied through one fixed block of memory outside the collector's heap, whose address is taken
// once:
//
//   0    context     CONTEXT_SIZE, the state of the hash at work (SHA256_CTX is 112 bytes, the others less)
//   128  middle      result of the first of two hashes
//   192  out         result
//   256  input       up to INPUT_SIZE bytes; longer input is read where it lies

import type { LibraryHandle } from 'koffi';
import type { Hashes, Sha256Stream } from '../crypto.js';
import { koffi } from './koffi.js';

const CONTEXT_SIZE = 128;
const MIDDLE = 128;
const OUT = 192;
const INPUT = 256;
const INPUT_SIZE = 4096;

/** A hash function of the library: init, update with an address, update with an array, final. Each returns 1. */
interface Native {
  init(context: number): number;
  update(context: number, address: number, length: number): number;
  updateArray(context: number, data: Uint8Array, length: number): number;
  final(out: number, context: number): number;
}

type Library = LibraryHandle;

/**
 * Addresses cross as numbers: user memory lies below 2^53 on every 64-bit system, and numbers cost less than bigints.
 */
function bind(library: Library, name: string): Native {
  return {
    init: library.func(`${name}_Init`, 'int', ['size_t']),
    update: library.func(`${name}_Update`, 'int', ['size_t', 'size_t', 'size_t']),
    updateArray: library.func(`${name}_Update`, 'int', ['size_t', 'void*', 'size_t']),
    final: library.func(`${name}_Final`, 'int', ['size_t', 'size_t']),
  };
}

/** One thread's scratch memory and the functions that work in it. */
class DirectHashes {
  readonly #memory = new Uint8Array(new ArrayBuffer(INPUT + INPUT_SIZE));
  readonly #base: number;
  readonly #sha256: Native;
  readonly #ripemd160: Native;
  readonly #sha1: Native;
  readonly #midstates = new Map<string, Uint8Array>();

  constructor(library: Library) {
    this.#base = Number(koffi().address(this.#memory));
    this.#sha256 = bind(library, 'SHA256');
    this.#ripemd160 = bind(library, 'RIPEMD160');
    this.#sha1 = bind(library, 'SHA1');
  }

  sha256(data: Uint8Array): Uint8Array {
    this.#hash(this.#sha256, data, OUT);
    return this.#memory.slice(OUT, OUT + 32);
  }

  sha256d(data: Uint8Array): Uint8Array {
    this.#hash(this.#sha256, data, MIDDLE);
    this.#hashMiddle(this.#sha256);
    return this.#memory.slice(OUT, OUT + 32);
  }

  hash160(data: Uint8Array): Uint8Array {
    this.#hash(this.#sha256, data, MIDDLE);
    this.#hashMiddle(this.#ripemd160);
    return this.#memory.slice(OUT, OUT + 20);
  }

  ripemd160(data: Uint8Array): Uint8Array {
    this.#hash(this.#ripemd160, data, OUT);
    return this.#memory.slice(OUT, OUT + 20);
  }

  sha1(data: Uint8Array): Uint8Array {
    this.#hash(this.#sha1, data, OUT);
    return this.#memory.slice(OUT, OUT + 20);
  }

  taggedHash(tag: string, parts: readonly Uint8Array[]): Uint8Array {
    let midstate = this.#midstates.get(tag);
    if (midstate === undefined) {
      const tagHash = this.sha256(new TextEncoder().encode(tag));
      midstate = this.streamUpdate(this.streamUpdate(this.streamStart(), tagHash), tagHash);
      this.#midstates.set(tag, midstate);
    }
    this.#memory.set(midstate, 0);
    for (const part of parts) this.#update(this.#sha256, part);
    return this.#finish();
  }

  /** State of a SHA-256 that has seen nothing. */
  streamStart(): Uint8Array {
    this.#sha256.init(this.#base);
    return this.#memory.slice(0, CONTEXT_SIZE);
  }

  /** Moves a state on by these bytes, in place. */
  streamUpdate(state: Uint8Array, data: Uint8Array): Uint8Array {
    this.#memory.set(state, 0);
    this.#update(this.#sha256, data);
    state.set(this.#memory.subarray(0, CONTEXT_SIZE));
    return state;
  }

  streamFinish(state: Uint8Array): Uint8Array {
    this.#memory.set(state, 0);
    return this.#finish();
  }

  #finish(): Uint8Array {
    this.#sha256.final(this.#base + OUT, this.#base);
    return this.#memory.slice(OUT, OUT + 32);
  }

  #update(native: Native, data: Uint8Array): void {
    if (data.length <= INPUT_SIZE) {
      this.#memory.set(data, INPUT);
      native.update(this.#base, this.#base + INPUT, data.length);
    } else {
      native.updateArray(this.#base, data, data.length);
    }
  }

  #hash(native: Native, data: Uint8Array, to: number): void {
    native.init(this.#base);
    this.#update(native, data);
    native.final(this.#base + to, this.#base);
  }

  /** The second of two hashes: of the 32 bytes in the middle. */
  #hashMiddle(native: Native): void {
    native.init(this.#base);
    native.update(this.#base, this.#base + MIDDLE, 32);
    native.final(this.#base + OUT, this.#base);
  }
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

/** Lengths on both sides of every boundary: blocks of 64, padding at 56, our input limit. */
const PROBE_LENGTHS = [0, 1, 55, 56, 63, 64, 65, 119, 120, 1_000, INPUT_SIZE, INPUT_SIZE + 1, 10_000];

/**
 * Whether two implementations agree on the probes; a foreign or changed OpenSSL shows itself here and nowhere later.
 */
function agree(ours: Hashes, theirs: Hashes): boolean {
  const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i]);
  return PROBE_LENGTHS.every((length) => {
    const data = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 0xff);
    const names = ['sha256', 'sha256d', 'sha1', 'ripemd160', 'hash160'] as const;
    return (
      names.every((name) => same(ours[name](data), theirs[name](data))) &&
      same(ours.taggedHash('TapLeaf', data, data), theirs.taggedHash('TapLeaf', data, data)) &&
      same(ours.sha256Stream().update(data).update(data).digest(), theirs.sha256Stream().update(data).update(data).digest())
    );
  });
}

/** The direct hashes, or null where the process exports no OpenSSL or its answers differ from the reference. */
export function loadDirectHashes(reference: Hashes): Hashes | null {
  try {
    const direct = new DirectHashes(koffi().load(null));
    const hashes: Hashes = {
      sha256: (data) => direct.sha256(data),
      sha256d: (data) => direct.sha256d(data),
      sha1: (data) => direct.sha1(data),
      ripemd160: (data) => direct.ripemd160(data),
      hash160: (data) => direct.hash160(data),
      sha256Stream: () => new DirectSha256Stream(direct),
      taggedHash: (tag, ...parts) => direct.taggedHash(tag, parts),
    };
    return agree(hashes, reference) ? hashes : null;
  } catch {
    return null;
  }
}
