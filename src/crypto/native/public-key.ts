// Public keys from private ones, for descriptors that carry WIF keys. Signing is the wallet's; this is all that validation's room knows
// of secrets. Called by node/start.
import { createRequire } from 'node:module';

interface KeyBinding {
  publicKeyCreate(secret: Uint8Array, compressed: boolean): Uint8Array;
}

let binding: KeyBinding | undefined;

/**
 * @param secret 32 bytes, big-endian; the caller wipes it
 * @param compressed 33 bytes instead of 65
 * @returns null when the number is zero or not below the group order
 */
export function publicKeyOf(secret: Uint8Array, compressed: boolean): Uint8Array | null {
  binding ??= createRequire(import.meta.url)('secp256k1/bindings.js') as KeyBinding;
  if (secret.length !== 32) return null;
  try {
    return new Uint8Array(binding.publicKeyCreate(secret, compressed));
  } catch {
    return null;
  }
}
