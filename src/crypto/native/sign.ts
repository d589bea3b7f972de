// Makes signatures that are byte for byte those of Bitcoin Core: ECDSA as CKey::Sign, Schnorr as CKey::SignSchnorr.
// Uses the system's libsecp256k1 if there is one, otherwise npm packages.
import { createRequire } from 'node:module';
import type { EcdsaSigner } from '../ecdsa-signer.js';
import type { SchnorrSigner, Signer } from '../schnorr-signer.js';
import { secretCopy } from '../secret-bytes.js';
import type { NativeCryptoOptions } from './index.js';
import { loadTiny } from './package-curve.js';
import { createSystemSigner } from './system-signer.js';

/**
 * Functions of the secp256k1 package's native binding that this file uses. The binding has no type declarations. Misuse
 * throws.
 */
interface SignBinding {
  ecdsaSign(message: Uint8Array, secret: Uint8Array, options: { data?: Uint8Array }): { signature: Uint8Array };
}

const require = createRequire(import.meta.url);

/** Creates the signer of this thread. Throws if there is neither a library nor an addon for this platform. */
export function createSigner(options: NativeCryptoOptions = {}): Signer {
  const system = options.prefer === 'packages' ? null : createSystemSigner();
  return {
    signLowR: system?.signLowR ?? packageEcdsa().signLowR,
    signSchnorr: system?.signSchnorr ?? packageSchnorr().signSchnorr,
  };
}

/** Creates an ECDSA signer by the secp256k1 package's native addon. */
function packageEcdsa(): EcdsaSigner {
  const secp = require('secp256k1/bindings.js') as SignBinding;
  return {
    signLowR: (secret, message) => {
      if (secret.length !== 32 || message.length !== 32) return null;
      try {
        let { signature } = secp.ecdsaSign(message, secret, {});
        if (signature[0] < 0x80) return signature;
        // The counter is a 32-bit little-endian number at the front of the extra data. Each attempt succeeds with
        // probability 1/2.
        const data = new Uint8Array(32);
        const counter = new DataView(data.buffer);
        for (let tries = 1; signature[0] >= 0x80; tries++) {
          counter.setUint32(0, tries, true);
          ({ signature } = secp.ecdsaSign(message, secret, { data }));
        }
        return signature;
      } catch {
        // The private key is zero, or not below the group order.
        return null;
      }
    },
  };
}

/** Creates a Schnorr signer by tiny-secp256k1 (WebAssembly). */
function packageSchnorr(): SchnorrSigner {
  const tweaked = (secret: Uint8Array, tweak: Uint8Array): Uint8Array | null => {
    const tiny = loadTiny();
    const even = tiny.pointFromScalar(secret, true)?.[0] === 2;
    const key = even ? secretCopy(secret) : tiny.privateNegate(secret);
    try {
      return tiny.privateAdd(key, tweak);
    } finally {
      key.fill(0);
    }
  };
  return {
    signSchnorr: (secret, message, tweak, auxRand) => {
      if (secret.length !== 32 || message.length !== 32 || auxRand.length !== 32 || (tweak !== null && tweak.length !== 32)) return null;
      const tiny = loadTiny();
      let key: Uint8Array | null = null;
      try {
        key = tweak === null ? secretCopy(secret) : tweaked(secret, tweak);
        return key && new Uint8Array(tiny.signSchnorr(message, key, auxRand));
      } catch {
        return null;
      } finally {
        key?.fill(0);
      }
    },
  };
}
