// Entry point of native cryptography: chooses the fastest libraries and creates a Crypto record. Each thread's entry
// calls it once; pure code receives the record inside its context.

import type { Crypto, Curve } from '../crypto.js';
import { createNodeHashes, pickHashes } from './hashes.js';
import { createPackageEcdsa, createPackageSchnorr } from './package-curve.js';
import { loadSystemCurve } from './system-curve.js';

/** Backend name if Schnorr checks run in WebAssembly, about six times slower than the system library. */
const WASM_SCHNORR = 'tiny-secp256k1 (WebAssembly)';
const NATIVE_ECDSA = 'secp256k1 (npm)';

/** Options. `prefer: 'packages'` does not use koffi and system libraries; for tests and comparisons. */
export interface NativeCryptoOptions {
  readonly prefer?: 'system' | 'packages';
}

function backendName(library: string): string {
  return `${library} (system)`;
}

/** Creates a Crypto record for this thread: the system's libsecp256k1 if it loads, npm packages for what it lacks. */
export function createNativeCrypto(options: NativeCryptoOptions = {}): Crypto {
  const system = options.prefer === 'packages' ? null : loadSystemCurve();
  const ecdsa: Pick<Curve, 'ecdsaVerify' | 'isPoint'> = system?.ecdsa ?? createPackageEcdsa();
  const schnorr: Pick<Curve, 'schnorrVerify' | 'tapTweakCheck'> = system?.schnorr ?? createPackageSchnorr();
  const { hashes, name } = options.prefer === 'packages' ? { hashes: createNodeHashes(), name: 'node:crypto' } : pickHashes();
  return {
    ...hashes,
    ...ecdsa,
    ...schnorr,
    backend: {
      ecdsa: system === null ? NATIVE_ECDSA : backendName(system.name),
      schnorr: system?.schnorr ? backendName(system.name) : WASM_SCHNORR,
      hashes: name,
    },
  };
}

/** Returns a warning for the operator with the remedy; null if none is needed. */
export function cryptoWarning(backend: Crypto['backend']): string | null {
  if (backend.schnorr !== WASM_SCHNORR) return null;
  const remedy =
    process.platform === 'darwin'
      ? 'Install it with: brew install secp256k1'
      : 'Install it with: apt-get install libsecp256k1-1 (libsecp256k1-2 on newer systems)';
  return `Taproot signatures are checked in WebAssembly, about six times slower than by libsecp256k1. ${remedy}; then restart.`;
}
