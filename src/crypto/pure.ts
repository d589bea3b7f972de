// Hashes without Node: for pure code that runs by itself (tools, other runtimes), and for tests of crypto/native. These
// hashes are slower than the native ones (sha256d of 80 bytes: 4.7 us against 1.7 us), so the node's threads do not use
// them.

import { ripemd160, sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type Hashes, pairByPair, pieceByPiece, type Sha256Stream, stepByStep } from './crypto.js';

/** Encodes a tag, which is ASCII. TextEncoder is not part of the language, and this file may use only the language. */
function tagBytes(tag: string): Uint8Array {
  return Uint8Array.from(tag, (char) => char.charCodeAt(0));
}

class PureSha256Stream implements Sha256Stream {
  readonly #state = sha256.create();

  update(data: Uint8Array): Sha256Stream {
    this.#state.update(data);
    return this;
  }

  digest(): Uint8Array {
    return this.#state.digest();
  }
}

/** Creates hash functions in plain JavaScript by @noble/hashes, without a curve. */
export function createPureHashes(): Hashes {
  const midstates = new Map<string, ReturnType<typeof sha256.create>>();
  const midstate = (tag: string): ReturnType<typeof sha256.create> => {
    let state = midstates.get(tag);
    if (state === undefined) {
      const tagHash = sha256(tagBytes(tag));
      state = sha256.create().update(tagHash).update(tagHash);
      midstates.set(tag, state);
    }
    return state;
  };
  const sha256d = (data: Uint8Array): Uint8Array => sha256(sha256(data));
  return {
    sha256: (data) => sha256(data),
    sha256d,
    sha256dPairs: pairByPair(sha256d),
    sha256dPath: stepByStep(sha256d),
    sha256dPieces: pieceByPiece(sha256d),
    sha1: (data) => sha1(data),
    ripemd160: (data) => ripemd160(data),
    hash160: (data) => ripemd160(sha256(data)),
    sha256Stream: () => new PureSha256Stream(),
    taggedHash: (tag, ...parts) => {
      const state = midstate(tag).clone();
      for (const part of parts) state.update(part);
      return state.digest();
    },
  };
}
