// Making BIP-0340 signatures, as a record of functions: what signing taproot outputs needs beyond the checks in
// crypto.ts. Filled by crypto/native/sign.ts; pure code receives it inside its context.
import type { EcdsaSigner } from './ecdsa-signer.js';

/** Signs for one thread. */
export interface SchnorrSigner {
  /**
   * @param secret 32 bytes, big-endian @param message 32 bytes
   * @param tweak 32 bytes to add to the secret once its public key has even y (BIP-0341); null for none
   * @param auxRand 32 bytes; zeros make the signature the same every time
   * @returns 64 bytes; null when the secret, or what the tweak makes of it, is no private key
   */
  signSchnorr(secret: Uint8Array, message: Uint8Array, tweak: Uint8Array | null, auxRand: Uint8Array): Uint8Array | null;
}

/** Everything that signs transactions. */
export type Signer = EcdsaSigner & SchnorrSigner;
