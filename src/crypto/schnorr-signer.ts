// Interface for making BIP-0340 signatures, for taproot outputs. crypto/native/sign.ts implements it; pure code
// receives it inside its context.
import type { EcdsaSigner } from './ecdsa-signer.js';

/** Schnorr signer of one thread. */
export interface SchnorrSigner {
  /**
   * Signs a message.
   * @param secret 32 bytes, big-endian
   * @param message 32 bytes
   * @param tweak 32 bytes to add to the private key (BIP-0341); null for none. A private key whose public key has odd y
   *   is negated first
   * @param auxRand 32 bytes; with zeros the signature is always the same
   * @returns 64 bytes; null if the private key is invalid, before or after the tweak
   */
  signSchnorr(secret: Uint8Array, message: Uint8Array, tweak: Uint8Array | null, auxRand: Uint8Array): Uint8Array | null;
}

/** Signer for all kinds of transactions. */
export type Signer = EcdsaSigner & SchnorrSigner;
