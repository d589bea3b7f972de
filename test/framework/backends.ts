// The cryptographic backends that this machine has, for suites that must hold on every one of them.

import type { Crypto } from '../../src/crypto/crypto.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { loadSystemCurve } from '../../src/crypto/native/system-curve.js';

/** A backend, or the reason why it can't be tested here. */
export interface Backend {
  readonly name: string;
  readonly crypto: Crypto | null;
  readonly skip: string | false;
}

/** Packages always; the system's library when it loads with its Schnorr module. */
export function backends(): Backend[] {
  const system = loadSystemCurve();
  const hasSystem = system?.schnorr != null;
  return [
    { name: 'packages', crypto: createNativeCrypto({ prefer: 'packages' }), skip: false },
    {
      name: 'system',
      crypto: hasSystem ? createNativeCrypto() : null,
      skip: hasSystem ? false : 'no libsecp256k1 with Schnorr on this system',
    },
  ];
}
