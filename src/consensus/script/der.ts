// DER signatures, strict and lax. Strict (BIP-0066) is a check of the form only. Lax is what consensus accepted before
// BIP-0066: the encodings that OpenSSL accepted, as defined by libsecp256k1's contrib code. Lax signatures are parsed
// here because the curve functions take 64 bytes, r then s.

import { copyBytes } from '../bytes/writer.js';
import { GROUP_ORDER, HALF_GROUP_ORDER } from './group-order.js';

const SEQUENCE_TAG = 0x30;
const INTEGER_TAG = 0x02;

/**
 * Returns whether bytes are 30 len 02 lenR R 02 lenS S hashtype with minimal positive integers (BIP-0066).
 * @param signature with the hash type byte; 9 to 73 bytes if valid
 */
export function isStrictDer(signature: Uint8Array): boolean {
  const size = signature.length;
  if (size < 9 || size > 73) return false;
  if (signature[0] !== SEQUENCE_TAG || signature[1] !== size - 3) return false;
  const lenR = signature[3];
  if (5 + lenR >= size) return false;
  const lenS = signature[5 + lenR];
  if (lenR + lenS + 7 !== size) return false;
  return isStrictInteger(signature, 2, lenR) && isStrictInteger(signature, 4 + lenR, lenS);
}

function isStrictInteger(bytes: Uint8Array, at: number, length: number): boolean {
  if (bytes[at] !== INTEGER_TAG || length === 0) return false;
  const first = bytes[at + 2];
  if ((first & 0x80) !== 0) return false;
  return !(length > 1 && first === 0 && (bytes[at + 3] & 0x80) === 0);
}

/**
 * Parses a signature as consensus does: accepts any encodings of lengths and trailing garbage, and reads negative or
 * padded integers as unsigned.
 * @param bytes signature
 * @param end number of bytes to parse, without the hash type byte
 * @returns r and s in 64 bytes; null if the bytes are unreadable, or a number does not fit into 32 bytes (such a
 *   signature never verifies)
 */
export function parseLaxDer(bytes: Uint8Array, end: number): Uint8Array | null {
  if (end < 1 || bytes[0] !== SEQUENCE_TAG) return null;
  let pos = 1;
  if (pos === end) return null;
  // Skip the length of the sequence without using it.
  const lengthByte = bytes[pos++];
  if ((lengthByte & 0x80) !== 0) {
    const extra = lengthByte & 0x7f;
    if (extra > end - pos) return null;
    pos += extra;
  }
  const out = new Uint8Array(64);
  for (let half = 0; half < 2; half++) {
    if (pos === end || bytes[pos] !== INTEGER_TAG) return null;
    pos++;
    if (pos === end) return null;
    let length = bytes[pos++];
    if ((length & 0x80) !== 0) {
      let extra = length & 0x7f;
      if (extra > end - pos) return null;
      while (extra > 0 && bytes[pos] === 0) {
        pos++;
        extra--;
      }
      // A length of four or more bytes exceeds any script element.
      if (extra >= 4) return null;
      length = 0;
      for (; extra > 0; extra--) length = length * 256 + bytes[pos++];
    }
    if (length > end - pos) return null;
    const next = pos + length;
    while (pos < next && bytes[pos] === 0) pos++;
    // The number is too large for the curve, so the signature never verifies.
    if (next - pos > 32) return null;
    copyBytes(bytes, pos, out, half * 32 + 32 - (next - pos), next - pos);
    pos = next;
  }
  return out;
}

/**
 * Returns whether S is at most half the group order. Values that are not below the group order count as low, because
 * libsecp256k1's parser turns them into zero.
 * @param signature strict DER with its hash type byte
 */
export function hasLowS(signature: Uint8Array): boolean {
  const compact = parseLaxDer(signature, signature.length - 1);
  if (compact === null) return true;
  if (compareAt(compact, 0, GROUP_ORDER) >= 0 || compareAt(compact, 32, GROUP_ORDER) >= 0) return true;
  return compareAt(compact, 32, HALF_GROUP_ORDER) <= 0;
}

function compareAt(bytes: Uint8Array, at: number, other: Uint8Array): number {
  for (let i = 0; i < 32; i++) {
    const difference = bytes[at + i] - other[i];
    if (difference !== 0) return difference;
  }
  return 0;
}
