// Text form of an authority key (specification, 4.7.1): Base58Check of 01 00 (a little-endian version) and the 32 bytes
// of the x-only key. Always 51 characters that begin with 9. Pools paste it into their configuration.
import { encodeBase58Check } from '../address/base58.js';
import type { Hashes } from '../crypto/crypto.js';

const VERSION = [1, 0] as const;

/** Returns the text form of an authority key. @param key x-only, 32 bytes */
export function encodeAuthorityKey(key: Uint8Array, hashes: Hashes): string {
  return encodeBase58Check(Uint8Array.of(...VERSION, ...key), hashes);
}
