// Extended keys and their derivation (BIP-0032). The public part is separate from the private key, because wallets hold
// many public keys and lock the private ones away.
import type { Hashes } from '../../crypto/crypto.js';
import type { KeyMath } from '../../crypto/key-math.js';
import { secretCopy } from '../../crypto/secret-bytes.js';

/** Offset of a hardened index: deriving the child needs the parent's private key. */
export const HARDENED = 0x8000_0000;

/** Functions that the derivation of child keys needs. */
export interface KeyTools {
  readonly hashes: Hashes;
  readonly keys: KeyMath;
}

/** Public key of a BIP-0032 tree, with the chain code and position from which its unhardened children are derived. */
export interface ExtendedKey {
  /** 33 bytes, compressed. */
  readonly publicKey: Uint8Array;
  /** 32 bytes. */
  readonly chainCode: Uint8Array;
  /** Number of steps from the master key, 0 to 255. */
  readonly depth: number;
  /** First four bytes of HASH160 of the parent's public key; zero for a master key. */
  readonly parentFingerprint: Uint8Array;
  /** Index among the parent's children, 0 to 2^32 - 1; zero for a master key. */
  readonly childNumber: number;
}

/** Extended key with its private key. */
export interface ExtendedSecret {
  readonly key: ExtendedKey;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

const MASTER_SALT = Uint8Array.from('Bitcoin seed', (c) => c.charCodeAt(0));
const NO_PARENT = new Uint8Array(4);
const MAX_DEPTH = 255;

/** Returns the first four bytes of a public key's HASH160. */
export function fingerprintOf(publicKey: Uint8Array, hashes: Hashes): Uint8Array {
  return hashes.hash160(publicKey).slice(0, 4);
}

/**
 * Returns the master key of a seed.
 * @param seed 16 to 64 bytes by BIP-0032; any length is accepted
 * @returns null for one seed in 2^127
 */
export function masterFromSeed(seed: Uint8Array, { keys }: KeyTools): ExtendedSecret | null {
  const digest = keys.hmacSha512(MASTER_SALT, seed);
  const secret = secretCopy(digest.subarray(0, 32));
  const chainCode = digest.slice(32);
  digest.fill(0);
  const publicKey = keys.publicKey(secret, true);
  if (publicKey === null) return null;
  return { key: { publicKey, chainCode, depth: 0, parentFingerprint: NO_PARENT, childNumber: 0 }, secret };
}

/**
 * Returns the public key of an unhardened child, without the chain code that grandchildren need. Deriving an address
 * needs only this step.
 * @param index below HARDENED
 */
export function childPublicKey(parent: ExtendedKey, index: number, keys: KeyMath): Uint8Array | null {
  return keys.addToPublic(parent.publicKey, childDigest(parent, index, keys).subarray(0, 32));
}

/** Derives an unhardened child. @param index below HARDENED @returns null at depth 255 and for one index in 2^127 */
export function deriveChild(parent: ExtendedKey, index: number, { keys, hashes }: KeyTools): ExtendedKey | null {
  if (parent.depth === MAX_DEPTH) return null;
  const digest = childDigest(parent, index, keys);
  const publicKey = keys.addToPublic(parent.publicKey, digest.subarray(0, 32));
  return publicKey && childKey(parent, index, publicKey, digest.slice(32), hashes);
}

/** Derives a hardened or unhardened child with its private key. */
export function deriveSecretChild(parent: ExtendedSecret, index: number, { keys, hashes }: KeyTools): ExtendedSecret | null {
  if (parent.key.depth === MAX_DEPTH) return null;
  const digest = index >= HARDENED ? hardenedDigest(parent, index, keys) : childDigest(parent.key, index, keys);
  const secret = keys.addToSecret(parent.secret, digest.subarray(0, 32));
  const publicKey = secret && keys.publicKey(secret, true);
  const chainCode = digest.slice(32);
  digest.fill(0);
  return publicKey && { key: childKey(parent.key, index, publicKey, chainCode, hashes), secret };
}

/** Derives a path with private keys, and wipes the keys in between. */
export function deriveSecretPath(from: ExtendedSecret, path: readonly number[], tools: KeyTools): ExtendedSecret | null {
  let at: ExtendedSecret | null = from;
  for (const index of path) {
    const next: ExtendedSecret | null = deriveSecretChild(at, index, tools);
    if (at !== from) at.secret.fill(0);
    if (next === null) return null;
    at = next;
  }
  return at;
}

/** Derives a path of unhardened steps; null if a step is hardened. */
export function derivePath(from: ExtendedKey, path: readonly number[], tools: KeyTools): ExtendedKey | null {
  let at: ExtendedKey | null = from;
  for (const index of path) {
    at = index >= HARDENED ? null : deriveChild(at, index, tools);
    if (at === null) return null;
  }
  return at;
}

/** Scratch buffer for key and index. All derivations share it, because they are synchronous. */
const message = new Uint8Array(37);

function writeIndex(index: number): void {
  message[33] = index >>> 24;
  message[34] = index >>> 16;
  message[35] = index >>> 8;
  message[36] = index;
}

function childDigest(parent: ExtendedKey, index: number, keys: KeyMath): Uint8Array {
  message.set(parent.publicKey);
  writeIndex(index);
  return keys.hmacSha512(parent.chainCode, message);
}

function hardenedDigest({ key, secret }: ExtendedSecret, index: number, keys: KeyMath): Uint8Array {
  message[0] = 0;
  message.set(secret, 1);
  writeIndex(index);
  const digest = keys.hmacSha512(key.chainCode, message);
  message.fill(0);
  return digest;
}

function childKey(parent: ExtendedKey, childNumber: number, publicKey: Uint8Array, chainCode: Uint8Array, hashes: Hashes): ExtendedKey {
  return { publicKey, chainCode, depth: parent.depth + 1, parentFingerprint: fingerprintOf(parent.publicKey, hashes), childNumber };
}
