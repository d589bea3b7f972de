// Curve checks by npm packages, for systems without libsecp256k1: ECDSA by secp256k1 (native addon, 42 us per check),
// BIP-0340 and key tweaks by tiny-secp256k1 (WebAssembly, about 230 us).

import { createRequire } from 'node:module';
import type { Curve } from '../crypto.js';
import { isHighS } from './low-s.js';

/** Functions of the secp256k1 package's native binding that this file uses. The binding has no type declarations. */
interface Secp256k1Package {
  ecdsaVerify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
  publicKeyVerify(publicKey: Uint8Array): boolean;
  /** Normalises a signature in place to low S. */
  signatureNormalize(signature: Uint8Array): Uint8Array;
}

/**
 * Packages are loaded on use, so that a thread with the system's library has neither addon nor WebAssembly in memory.
 */
const require = createRequire(import.meta.url);

let tiny: typeof import('tiny-secp256k1') | undefined;

/** Loads tiny-secp256k1 with the first call: this thread needs 15 ms for its WebAssembly. */
export function loadTiny(): typeof import('tiny-secp256k1') {
  tiny ??= require('tiny-secp256k1') as typeof import('tiny-secp256k1');
  return tiny;
}

/**
 * Loads the native binding. The package's main file silently falls back to the pure JavaScript `elliptic`, which must
 * never check a block. So the binding is loaded by name, and its absence is an error.
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

/** Creates ECDSA checks by the secp256k1 package. Throws if its native binding does not load. */
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
        // r or s out of range, or not a point: the package throws, but the result is simply "invalid".
        return false;
      }
    },
    isPoint: (publicKey) => hasKeyLength(publicKey) && secp.publicKeyVerify(publicKey),
  };
}

/**
 * Creates BIP-0340 checks and x-only tweaks by tiny-secp256k1. If a key is not a point, the package's WebAssembly code
 * throws and loses some of its stack. After 3,400 such keys it accepted no signature any more. So this code checks keys
 * first and passes only points.
 */
export function createPackageSchnorr(): Pick<Curve, 'schnorrVerify' | 'tapTweakCheck'> {
  // A missing package is an error of the start, not of the first check.
  require.resolve('tiny-secp256k1');
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
      const { verifySchnorr } = loadTiny();
      return falseIfRefused(() => verifySchnorr(message, publicKey, signature));
    },
    tapTweakCheck: (outputKey, parity, internalKey, tweak) => {
      if (tweak.length !== 32 || !isPoint(outputKey) || !isPoint(internalKey)) return false;
      const { xOnlyPointAddTweakCheck } = loadTiny();
      return falseIfRefused(() => xOnlyPointAddTweakCheck(internalKey, tweak, outputKey, parity === 0 ? 0 : 1));
    },
  };
}

/**
 * Runs a check, and returns false if the package throws because a number is out of range. Rethrows errors of
 * WebAssembly itself.
 */
function falseIfRefused(check: () => boolean): boolean {
  try {
    return check();
  } catch (error) {
    if (error instanceof Error && error.name === 'RuntimeError') throw error;
    return false;
  }
}
