// Curve checks by npm packages, where the system has no libsecp256k1: ECDSA by secp256k1 (native addon, 42 us a check),
// BIP-0340 and key tweaks by tiny-secp256k1 (WebAssembly, about 230 us). Called by crypto/native/index.ts, once per
// thread.

import { createRequire } from 'node:module';
import type { Curve } from '../crypto.js';
import { isHighS } from './low-s.js';

/** What we use of the secp256k1 package's native binding, which has no types of its own. */
interface Secp256k1Package {
  ecdsaVerify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
  publicKeyVerify(publicKey: Uint8Array): boolean;
  /** Changes its argument in place. */
  signatureNormalize(signature: Uint8Array): Uint8Array;
}

/**
 * Only what is used gets loaded: a thread with the system's library needs neither addon nor WebAssembly in its memory.
 */
const require = createRequire(import.meta.url);

/**
 * The native binding itself. The package's main file falls back to the pure-JavaScript `elliptic` in silence; that must
 * never judge a block, so the binding is asked for by name and its absence is an error.
 */
function loadNativePackage(): Secp256k1Package {
  try {
    return require('secp256k1/bindings.js') as Secp256k1Package;
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    throw new Error(`No native secp256k1 for ${platform}: install the system's libsecp256k1 (Debian and Ubuntu: libsecp256k1-1)`, {
      cause,
    });
  }
}

function hasKeyLength(publicKey: Uint8Array): boolean {
  return publicKey.length === 33 || publicKey.length === 65;
}

/** ECDSA by the secp256k1 package. Throws when its native binding does not load on this platform. */
export function createPackageEcdsa(): Pick<Curve, 'ecdsaVerify' | 'isPoint'> {
  const secp = loadNativePackage();
  const normalized = new Uint8Array(64);
  return {
    ecdsaVerify: (signature, publicKey, message) => {
      if (signature.length !== 64 || message.length !== 32 || !hasKeyLength(publicKey)) return false;
      try {
        let checked = signature;
        if (isHighS(signature)) {
          normalized.set(signature);
          checked = secp.signatureNormalize(normalized);
        }
        return secp.ecdsaVerify(checked, message, publicKey);
      } catch {
        // r or s out of range, or not a point: the package throws where the rule is a plain no.
        return false;
      }
    },
    isPoint: (publicKey) => hasKeyLength(publicKey) && secp.publicKeyVerify(publicKey),
  };
}

/**
 * BIP-0340 checks and x-only tweaks by tiny-secp256k1. Its WebAssembly leaves by an exception when a key is no point,
 * and loses some of its stack each time: after 3,400 such keys it knew no signature any more. So it gets points only.
 */
export function createPackageSchnorr(): Pick<Curve, 'schnorrVerify' | 'tapTweakCheck'> {
  const tiny = require('tiny-secp256k1') as typeof import('tiny-secp256k1');
  const secp = loadNativePackage();
  const compressed = new Uint8Array(33).fill(2);
  const isPoint = (xonly: Uint8Array): boolean => {
    if (xonly.length !== 32) return false;
    compressed.set(xonly, 1);
    return secp.publicKeyVerify(compressed);
  };
  return {
    schnorrVerify: (signature, publicKey, message) => {
      if (signature.length !== 64 || message.length !== 32 || !isPoint(publicKey)) return false;
      return falseIfRefused(() => tiny.verifySchnorr(message, publicKey, signature));
    },
    tapTweakCheck: (outputKey, parity, internalKey, tweak) => {
      if (tweak.length !== 32 || !isPoint(outputKey) || !isPoint(internalKey)) return false;
      return falseIfRefused(() => tiny.xOnlyPointAddTweakCheck(internalKey, tweak, outputKey, parity === 0 ? 0 : 1));
    },
  };
}

/** Numbers out of range are refused by an exception; a fault of the WebAssembly itself says nothing about them. */
function falseIfRefused(check: () => boolean): boolean {
  try {
    return check();
  } catch (error) {
    if (error instanceof Error && error.name === 'RuntimeError') throw error;
    return false;
  }
}
