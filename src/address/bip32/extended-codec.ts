// Encodes extended keys as text (xpub, xprv, and tpub, tprv on test networks): Base58Check of 78 bytes (BIP-0032):
//
//   0   version            4, the network's
//   4   depth              1
//   5   parentFingerprint  4
//   9   childNumber        4, big-endian
//   13  chainCode          32
//   45  key                33: the public key, or a zero byte and the private key
import { secretCopy } from '../../crypto/secret-bytes.js';
import { decodeBase58Check, encodeBase58Check, encodeBase58CheckAscii } from '../base58.js';
import type { KeyParams } from '../key-params.js';
import type { ExtendedKey, ExtendedSecret, KeyTools } from './extended-key.js';

const SIZE = 78;
const FINGERPRINT = 5;
const CHILD_NUMBER = 9;
const CHAIN_CODE = 13;
const KEY = 45;

/** Decodes a public extended key of one network, given as a string or as ASCII codes. @returns null if it is invalid */
export function decodeExtendedKey(text: string | Uint8Array, params: KeyParams, { hashes, keys }: KeyTools): ExtendedKey | null {
  const data = decodeBase58Check(text, SIZE, hashes);
  if (data === null || data.length !== SIZE || read32(data, 0) !== params.base58.xpub) return null;
  const publicKey = data.slice(KEY);
  return keys.isPoint(publicKey) ? fieldsOf(data, publicKey) : null;
}

/**
 * Decodes a private extended key of one network.
 * @param text string, or ASCII codes that the caller wipes
 * @returns null if it is invalid
 */
export function decodeExtendedSecret(text: string | Uint8Array, params: KeyParams, { hashes, keys }: KeyTools): ExtendedSecret | null {
  const data = decodeBase58Check(text, SIZE, hashes);
  if (data === null) return null;
  if (data.length !== SIZE || read32(data, 0) !== params.base58.xprv || data[KEY] !== 0) {
    data.fill(0);
    return null;
  }
  const secret = secretCopy(data.subarray(KEY + 1));
  data.fill(0, KEY);
  const publicKey = keys.publicKey(secret, true);
  const key = publicKey && fieldsOf(data, publicKey);
  if (key === null) secret.fill(0);
  return key && { key, secret };
}

/** Encodes a public extended key for one network. */
export function encodeExtendedKey(key: ExtendedKey, params: KeyParams, { hashes }: Pick<KeyTools, 'hashes'>): string {
  const data = layOut(key, params.base58.xpub);
  data.set(key.publicKey, KEY);
  return encodeBase58Check(data, hashes);
}

/** Encodes a private extended key for one network. */
export const encodeExtendedSecret = (secret: ExtendedSecret, params: KeyParams, tools: Pick<KeyTools, 'hashes'>): string =>
  String.fromCharCode(...encodeExtendedSecretAscii(secret, params, tools));

/** Encodes a private extended key as ASCII codes, which the caller wipes. */
export function encodeExtendedSecretAscii(
  { key, secret }: ExtendedSecret,
  params: KeyParams,
  { hashes }: Pick<KeyTools, 'hashes'>,
): Uint8Array {
  const data = layOut(key, params.base58.xprv);
  data.set(secret, KEY + 1);
  const ascii = encodeBase58CheckAscii(data, hashes);
  data.fill(0);
  return ascii;
}

/** Decodes the common fields; null if a master key claims to have a parent. */
function fieldsOf(data: Uint8Array, publicKey: Uint8Array): ExtendedKey | null {
  const depth = data[4];
  const childNumber = read32(data, CHILD_NUMBER);
  if (depth === 0 && (childNumber !== 0 || read32(data, FINGERPRINT) !== 0)) return null;
  return {
    publicKey,
    chainCode: data.slice(CHAIN_CODE, KEY),
    depth,
    parentFingerprint: data.slice(FINGERPRINT, CHILD_NUMBER),
    childNumber,
  };
}

function layOut(key: ExtendedKey, version: number): Uint8Array {
  const data = new Uint8Array(SIZE);
  write32(data, 0, version);
  data[4] = key.depth;
  data.set(key.parentFingerprint, FINGERPRINT);
  write32(data, CHILD_NUMBER, key.childNumber);
  data.set(key.chainCode, CHAIN_CODE);
  return data;
}

function read32(data: Uint8Array, at: number): number {
  return ((data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3]) >>> 0;
}

function write32(data: Uint8Array, at: number, value: number): void {
  data[at] = value >>> 24;
  data[at + 1] = value >>> 16;
  data[at + 2] = value >>> 8;
  data[at + 3] = value;
}
