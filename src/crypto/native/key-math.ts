// Key arithmetic by the secp256k1 package's native addon and node:crypto. Each thread that derives keys creates its own.
import nodeCrypto, { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import type { KeyMath, RecoverableSignatures } from '../key-math.js';
import { secretCopy } from '../secret-bytes.js';

/**
 * Functions of the secp256k1 package's native binding that this file uses. The binding has no type declarations. Misuse
 * and impossible results throw.
 */
interface KeyBinding {
  publicKeyCreate(secret: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyVerify(publicKey: Uint8Array): boolean;
  /** Changes its first argument in place. */
  privateKeyTweakAdd(secret: Uint8Array, tweak: Uint8Array): Uint8Array;
  publicKeyTweakAdd(publicKey: Uint8Array, tweak: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyTweakMul(publicKey: Uint8Array, tweak: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyCombine(publicKeys: readonly Uint8Array[], compressed: boolean): Uint8Array;
  ecdsaSign(message: Uint8Array, secret: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaRecover(signature: Uint8Array, recid: number, message: Uint8Array, compressed: boolean): Uint8Array;
}

const SCALAR_SIZE = 32;

function orNull<T>(compute: () => T): T | null {
  try {
    return compute();
  } catch {
    return null;
  }
}

const isScalar = (bytes: Uint8Array): boolean => bytes.length === SCALAR_SIZE;
const hasKeyLength = (key: Uint8Array): boolean => key.length === 33 || key.length === 65;

const plain = (buffer: Buffer): Uint8Array => new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);

function streamHmac(key: Uint8Array, data: Uint8Array): Uint8Array {
  return plain(createHmac('sha512', key).update(data).digest());
}

const BLOCK = 128;
const DIGEST = 64;
/** Longest data, bytes, that is hashed in the scratch buffer. BIP-0032 hashes a key and an index. */
const MAX_DATA = 128;

/**
 * Returns HMAC by two one-shot hashes (RFC 2104) if Node has them, which takes half the time of node:crypto's Hmac
 * objects.
 */
function pickHmac(): KeyMath['hmacSha512'] {
  if (typeof nodeCrypto.hash !== 'function') return streamHmac;
  const inner = new Uint8Array(BLOCK + MAX_DATA);
  const outer = new Uint8Array(BLOCK + DIGEST);
  return (key, data) => {
    if (key.length > BLOCK || data.length > MAX_DATA) return streamHmac(key, data);
    inner.fill(0x36, 0, BLOCK);
    outer.fill(0x5c, 0, BLOCK);
    for (let i = 0; i < key.length; i++) {
      inner[i] ^= key[i];
      outer[i] ^= key[i];
    }
    inner.set(data, BLOCK);
    outer.set(nodeCrypto.hash('sha512', inner.subarray(0, BLOCK + data.length), 'buffer'), BLOCK);
    const digest = plain(nodeCrypto.hash('sha512', outer, 'buffer'));
    // Wipe the buffers, which may contain secrets.
    inner.fill(0);
    outer.fill(0);
    return digest;
  };
}

/** Creates key arithmetic for this thread. Throws if the package's native addon does not load. */
export function createKeyMath(): KeyMath & RecoverableSignatures {
  const secp = createRequire(import.meta.url)('secp256k1/bindings.js') as KeyBinding;
  return {
    publicKey: (secret, compressed) => (isScalar(secret) ? orNull(() => secp.publicKeyCreate(secret, compressed)) : null),
    addToSecret: (secret, tweak) =>
      isScalar(secret) && isScalar(tweak) ? orNull(() => secp.privateKeyTweakAdd(secretCopy(secret), tweak)) : null,
    addToPublic: (key, tweak) => (hasKeyLength(key) && isScalar(tweak) ? orNull(() => secp.publicKeyTweakAdd(key, tweak, true)) : null),
    multiplyPublic: (key, factor) =>
      hasKeyLength(key) && isScalar(factor) ? orNull(() => secp.publicKeyTweakMul(key, factor, true)) : null,
    sumPublic: (keys) => (keys.length > 0 && keys.every(hasKeyLength) ? orNull(() => secp.publicKeyCombine(keys, true)) : null),
    isPoint: (key) => hasKeyLength(key) && secp.publicKeyVerify(key),
    hmacSha512: pickHmac(),
    signRecoverable: (secret, message) => {
      if (!isScalar(secret) || !isScalar(message)) return null;
      const signed = orNull(() => secp.ecdsaSign(message, secret));
      return signed && { signature: signed.signature, recovery: signed.recid };
    },
    recover: (signature, recovery, message, compressed) =>
      signature.length === 64 && recovery >= 0 && recovery <= 3 && isScalar(message)
        ? orNull(() => secp.ecdsaRecover(signature, recovery, message, compressed))
        : null,
  };
}
