// ECDSA signatures by the secp256k1 package's native addon, byte for byte those of Bitcoin Core's CKey::Sign. Called once per thread
// that signs, by the node's wiring.
import { createRequire } from 'node:module';
import type { EcdsaSigner } from '../ecdsa-signer.js';

/** What we use of the package's native binding, which has no types of its own. Misuse throws. */
interface SignBinding {
  ecdsaSign(message: Uint8Array, secret: Uint8Array, options: { data?: Uint8Array }): { signature: Uint8Array };
}

/** The signer of this thread. Throws when the package's native addon does not load on this platform. */
export function createEcdsaSigner(): EcdsaSigner {
  const secp = createRequire(import.meta.url)('secp256k1/bindings.js') as SignBinding;
  return {
    signLowR: (secret, message) => {
      if (secret.length !== 32 || message.length !== 32) return null;
      try {
        let { signature } = secp.ecdsaSign(message, secret, {});
        if (signature[0] < 0x80) return signature;
        // The counter is a 32-bit little-endian number at the front of the extra data; each try succeeds with probability 1/2.
        const data = new Uint8Array(32);
        const counter = new DataView(data.buffer);
        for (let tries = 1; signature[0] >= 0x80; tries++) {
          counter.setUint32(0, tries, true);
          ({ signature } = secp.ecdsaSign(message, secret, { data }));
        }
        return signature;
      } catch {
        // Zero, or not below the group order.
        return null;
      }
    },
  };
}
