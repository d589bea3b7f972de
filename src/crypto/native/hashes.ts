// Hashes by node:crypto: the reference for direct-hashes.ts, and the fallback if that does not load.

import nodeCrypto, { createHash, type Hash } from 'node:crypto';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { ripemd160 as nobleRipemd160, sha1 as nobleSha1 } from '@noble/hashes/legacy.js';
import { type Hashes, pairByPair, pieceByPiece, type Sha256Stream, stepByStep } from '../crypto.js';
import { loadDirectHashes } from './direct-hashes.js';

/**
 * Longest input, including the tag prefix, that is joined in a scratch buffer. For shorter input one call is faster
 * than copying a midstate.
 */
const JOIN_LIMIT = 2048;
const TAG_PREFIX = 64;
/** Key of the environment data that says that the direct hashes agreed with those of node:crypto. */
const PROBED = 'adit direct hashes agree';

type OneShot = (algorithm: string, data: Uint8Array) => Uint8Array;

/** Converts a Buffer to a plain array: a Buffer's slice() shares memory and its toString() differs. */
function plain(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

/** Returns crypto.hash if Node has it (20.12 and later), otherwise createHash. */
function pickOneShot(): OneShot {
  if (typeof nodeCrypto.hash === 'function') {
    return (algorithm, data) => plain(nodeCrypto.hash(algorithm, data, 'buffer'));
  }
  return (algorithm, data) => plain(createHash(algorithm).update(data).digest());
}

/**
 * Returns a legacy hash function, or the fallback. OpenSSL builds of some distributions lack legacy algorithms or
 * refuse them when used, so the function is tried once before it is used.
 */
function legacyHash(oneShot: OneShot, algorithm: string, fallback: (data: Uint8Array) => Uint8Array) {
  try {
    oneShot(algorithm, new Uint8Array(1));
    return (data: Uint8Array): Uint8Array => oneShot(algorithm, data);
  } catch {
    return fallback;
  }
}

class NodeSha256Stream implements Sha256Stream {
  readonly #hash: Hash;

  constructor(hash: Hash) {
    this.#hash = hash;
  }

  update(data: Uint8Array): Sha256Stream {
    this.#hash.update(data);
    return this;
  }

  digest(): Uint8Array {
    return plain(this.#hash.digest());
  }
}

/** First block of every hash with a tag, SHA256(tag) twice (BIP-0340), and the state after it. */
interface TagState {
  readonly prefix: Uint8Array;
  readonly midstate: Hash;
}

/** Creates hash functions by node:crypto, with RIPEMD-160 and SHA-1 from @noble/hashes if OpenSSL refuses them. */
export function createNodeHashes(): Hashes {
  const oneShot = pickOneShot();
  const sha256 = (data: Uint8Array): Uint8Array => oneShot('sha256', data);
  const sha256d = (data: Uint8Array): Uint8Array => sha256(sha256(data));
  const ripemd160 = legacyHash(oneShot, 'ripemd160', nobleRipemd160);
  const sha1 = legacyHash(oneShot, 'sha1', nobleSha1);
  const tags = new Map<string, TagState>();
  const scratch = new Uint8Array(JOIN_LIMIT);

  const tagState = (tag: string): TagState => {
    let state = tags.get(tag);
    if (state === undefined) {
      const tagHash = sha256(new TextEncoder().encode(tag));
      const prefix = new Uint8Array(TAG_PREFIX);
      prefix.set(tagHash, 0);
      prefix.set(tagHash, 32);
      state = { prefix, midstate: createHash('sha256').update(prefix) };
      tags.set(tag, state);
    }
    return state;
  };

  const taggedHash = (tag: string, ...parts: Uint8Array[]): Uint8Array => {
    const state = tagState(tag);
    let total = TAG_PREFIX;
    for (const part of parts) total += part.length;
    if (total > JOIN_LIMIT) {
      const hash = state.midstate.copy();
      for (const part of parts) hash.update(part);
      return plain(hash.digest());
    }
    scratch.set(state.prefix, 0);
    let end = TAG_PREFIX;
    for (const part of parts) {
      scratch.set(part, end);
      end += part.length;
    }
    return sha256(scratch.subarray(0, end));
  };

  return {
    sha256,
    sha256d,
    sha256dPairs: pairByPair(sha256d),
    sha256dPath: stepByStep(sha256d),
    sha256dPieces: pieceByPiece(sha256d),
    sha1,
    ripemd160,
    hash160: (data) => ripemd160(sha256(data)),
    sha256Stream: () => new NodeSha256Stream(createHash('sha256')),
    taggedHash,
  };
}

let picked: { hashes: Hashes; name: string } | undefined;

/**
 * Returns the fastest hashes, one set for each thread, and their name for the log. Threads share the OpenSSL library,
 * and inherit the environment data of the thread that starts them. So only the first thread of a process probes the
 * library.
 */
export function pickHashes(): { hashes: Hashes; name: string } {
  if (picked !== undefined) return picked;
  const direct = loadDirectHashes(getEnvironmentData(PROBED) === true ? null : createNodeHashes());
  if (direct !== null) setEnvironmentData(PROBED, true);
  picked = direct === null ? { hashes: createNodeHashes(), name: 'node:crypto' } : { hashes: direct, name: 'OpenSSL (direct)' };
  return picked;
}

/** Creates the fastest hashes, for threads that check no signatures. */
export function createNativeHashes(): Hashes {
  return pickHashes().hashes;
}
