// Lists the cryptographic backends of this machine, for suites that every backend must pass.

import type { Crypto } from '../../src/crypto/crypto.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { loadSystemCurve } from '../../src/crypto/native/system-curve.js';

/** A backend, or the reason why it cannot be tested here. */
export interface Backend {
  readonly name: string;
  readonly crypto: Crypto | null;
  readonly skip: string | false;
}

/** Returns the backend of packages, and that of the system's library if it loads with its Schnorr module. */
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
