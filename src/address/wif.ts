// Private keys as text: Base58Check of the network's byte, the key, and 01 if the public key is compressed.

import { GROUP_ORDER } from '../consensus/script/group-order.js';
import type { Hashes } from '../crypto/crypto.js';
import { createPureHashes } from '../crypto/pure.js';
import { secretBytes, secretCopy } from '../crypto/secret-bytes.js';
import type { AddressParams } from './address-params.js';
import { decodeBase58Check, encodeBase58CheckAscii } from './base58.js';

/** Private key and the form of its public key. */
export interface WifKey {
  /** 32 bytes, big-endian, between 1 and the group order less 1. */
  readonly key: Uint8Array;
  readonly compressed: boolean;
}

const KEY_SIZE = 32;
const COMPRESSED_MARK = 1;
const PURE_HASHES = createPureHashes();

/** Encodes a key for one network. */
export const encodeWif = (key: WifKey, params: AddressParams, hashes: Hashes = PURE_HASHES): string =>
  String.fromCharCode(...encodeWifAscii(key, params, hashes));

/** Encodes a key as ASCII codes, which the caller wipes. */
export function encodeWifAscii({ key, compressed }: WifKey, params: AddressParams, hashes: Hashes = PURE_HASHES): Uint8Array {
  const data = new Uint8Array(1 + KEY_SIZE + (compressed ? 1 : 0));
  data[0] = params.base58.wif;
  data.set(key, 1);
  if (compressed) data[1 + KEY_SIZE] = COMPRESSED_MARK;
  const ascii = encodeBase58CheckAscii(data, hashes);
  data.fill(0);
  return ascii;
}

/**
 * Decodes a key of one network.
 * @param text string, or ASCII codes that the caller wipes
 * @returns null if it is invalid
 */
export function decodeWif(text: string | Uint8Array, params: AddressParams, hashes: Hashes = PURE_HASHES): WifKey | null {
  const data = decodeBase58Check(text, 2 + KEY_SIZE, hashes, secretBytes);
  if (data === null) return null;
  try {
    const compressed = data.length === 2 + KEY_SIZE && data[1 + KEY_SIZE] === COMPRESSED_MARK;
    if (data[0] !== params.base58.wif || (!compressed && data.length !== 1 + KEY_SIZE)) return null;
    const key = secretCopy(data.subarray(1, 1 + KEY_SIZE));
    return isPrivateKey(key) ? { key, compressed } : null;
  } finally {
    data.fill(0);
  }
}

function isPrivateKey(key: Uint8Array): boolean {
  if (key.every((byte) => byte === 0)) return false;
  for (let i = 0; i < KEY_SIZE; i++) if (key[i] !== GROUP_ORDER[i]) return key[i] < GROUP_ORDER[i];
  return false;
}
