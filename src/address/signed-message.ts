// Signs and verifies messages with the key of a P2PKH address: Base64 of a header byte (27 + recovery id + 4 for a
// compressed key) and r, s. The hash covers a fixed line and the text, each with its length. Core: util/message.cpp.

import { equalBytes } from '../consensus/bytes/hex.js';
import { ByteWriter } from '../consensus/bytes/writer.js';
import type { Hashes } from '../crypto/crypto.js';
import type { RecoverableSignatures } from '../crypto/key-math.js';
import { decodeAddress } from './address.js';
import type { AddressParams } from './address-params.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

/** Encodes bytes as padded Base64. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group = (bytes[at] << 16) | (left > 1 ? bytes[at + 1] << 8 : 0) | (left > 2 ? bytes[at + 2] : 0);
    text += ALPHABET[group >> 18] + ALPHABET[(group >> 12) & 63];
    text += left > 1 ? ALPHABET[(group >> 6) & 63] : '=';
    text += left > 2 ? ALPHABET[group & 63] : '=';
  }
  return text;
}

/** Decodes Base64; null if the text is not exactly what encodeBase64 writes for the decoded bytes. */
export function decodeBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.length - padding;
  const bytes = new Uint8Array((digits * 3) >> 2);
  let pending = 0;
  let bits = 0;
  let size = 0;
  for (let i = 0; i < digits; i++) {
    const code = text.charCodeAt(i);
    const value = code < 128 ? VALUES[code] : -1;
    if (value < 0) return null;
    pending = ((pending << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[size++] = pending >> bits;
  }
  return (pending & ((1 << bits) - 1)) === 0 ? bytes : null;
}

/** Result of verifying a message. */
export type MessageVerdict = 'signed' | 'not-signed' | 'invalid-address' | 'no-key' | 'malformed-signature';

const MAGIC = Uint8Array.from('Bitcoin Signed Message:\n', (c) => c.charCodeAt(0));
const SIGNATURE_SIZE = 65;
const HEADER = 27;
const COMPRESSED = 4;

/** Returns the hash to sign. @param message UTF-8 bytes of the text */
export function messageHash(message: Uint8Array, hashes: Hashes): Uint8Array {
  const writer = new ByteWriter();
  writer.compactSize(MAGIC.length);
  writer.bytes(MAGIC);
  writer.compactSize(message.length);
  writer.bytes(message);
  return hashes.sha256d(writer.finish());
}

/** Signs a text. @param message its UTF-8 bytes @returns Base64; null if the secret is not a valid private key */
export function signMessage(
  message: Uint8Array,
  secret: Uint8Array,
  compressed: boolean,
  hashes: Hashes,
  signatures: RecoverableSignatures,
): string | null {
  const signed = signatures.signRecoverable(secret, messageHash(message, hashes));
  if (signed === null) return null;
  const bytes = new Uint8Array(SIGNATURE_SIZE);
  bytes[0] = HEADER + signed.recovery + (compressed ? COMPRESSED : 0);
  bytes.set(signed.signature, 1);
  return encodeBase64(bytes);
}

/** Verifies that the key of an address signed a text. @param message its UTF-8 bytes */
export function verifyMessage(
  address: string,
  signature: string,
  message: Uint8Array,
  params: AddressParams,
  hashes: Hashes,
  signatures: RecoverableSignatures,
): MessageVerdict {
  const decoded = decodeAddress(address, params, hashes);
  if ('error' in decoded) return 'invalid-address';
  if (decoded.kind !== 'pubkeyhash') return 'no-key';
  const bytes = decodeBase64(signature);
  if (bytes === null) return 'malformed-signature';
  if (bytes.length !== SIGNATURE_SIZE) return 'not-signed';
  const header = bytes[0] - HEADER;
  const key = signatures.recover(bytes.subarray(1), header & 3, messageHash(message, hashes), (header & COMPRESSED) !== 0);
  return key !== null && equalBytes(hashes.hash160(key), decoded.payload) ? 'signed' : 'not-signed';
}
