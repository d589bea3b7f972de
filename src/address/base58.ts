// Base58 and Base58Check as Core reads them: white space around the text is ignored, and leading zero bytes are leading
// ones ("1").

import type { Hashes } from '../crypto/crypto.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const CODES = Uint8Array.from(ALPHABET, (c) => c.charCodeAt(0));
const DIGITS = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) DIGITS[ALPHABET.charCodeAt(i)] = i;

/** ASCII code of the Base58 digit with value zero ("1"). */
const ONE = 0x31;
const CHECKSUM_SIZE = 4;
// Base58 characters per byte: log 256 / log 58, rounded up.
const CHARS_PER_BYTE = 1.366;

/** Returns whether an ASCII code is a Base58 digit. */
export const isBase58Digit = (code: number): boolean => code < 128 && DIGITS[code] >= 0;

/** Base58 digits per limb of a conversion, and the number of values of a limb. */
const LIMB_DIGITS = 5;
const LIMB = 58 ** LIMB_DIGITS;

const asciiText = (codes: Uint8Array): string => String.fromCharCode.apply(null, codes as unknown as number[]);

/** Encodes bytes as Base58. */
export const encodeBase58 = (bytes: Uint8Array): string => asciiText(encodeBase58Ascii(bytes));

/** Encodes bytes as Base58 in ASCII codes, so that the caller can overwrite the text of a private key. */
export function encodeBase58Ascii(bytes: Uint8Array): Uint8Array {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  // Lowest limb first. A limb times 2^16 is below 2^46, so all numbers are exact.
  const limbs = new Float64Array(Math.ceil(((bytes.length - zeros) * CHARS_PER_BYTE) / LIMB_DIGITS) + 1);
  let used = 0;
  for (let i = zeros; i < bytes.length; ) {
    const two = i + 1 < bytes.length;
    const factor = two ? 0x10000 : 0x100;
    let carry = two ? bytes[i] * 0x100 + bytes[i + 1] : bytes[i];
    i += two ? 2 : 1;
    for (let k = 0; k < used; k++) {
      const value = limbs[k] * factor + carry;
      carry = Math.floor(value / LIMB);
      limbs[k] = value - carry * LIMB;
    }
    if (carry > 0) limbs[used++] = carry;
  }
  const digits = new Uint8Array(used * LIMB_DIGITS);
  for (let k = 0, at = 0; k < used; k++) {
    let limb = limbs[k];
    for (let d = 0; d < LIMB_DIGITS; d++, at++) {
      digits[at] = limb % 58;
      limb = Math.floor(limb / 58);
    }
  }
  let size = digits.length;
  while (size > 0 && digits[size - 1] === 0) size--;
  const ascii = new Uint8Array(zeros + size).fill(ONE, 0, zeros);
  for (let k = 0; k < size; k++) ascii[zeros + size - 1 - k] = CODES[digits[k]];
  // The bytes may be a private key.
  limbs.fill(0);
  digits.fill(0);
  return ascii;
}

/**
 * Decodes Base58, given as a string or as ASCII codes.
 * @param maxBytes longer results are refused early, because the work grows with the square of the length
 * @param make allocates the arrays; use secretBytes if the data may be secret
 * @returns null if a character is invalid, or if the result is too long
 */
export function decodeBase58(text: string | Uint8Array, maxBytes: number, make = plainBytes): Uint8Array | null {
  const codeAt = typeof text === 'string' ? (i: number) => text.charCodeAt(i) : (i: number) => text[i];
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(codeAt(start))) start++;
  while (end > start && isSpace(codeAt(end - 1))) end--;
  let zeros = 0;
  while (start < end && codeAt(start) === ONE) {
    if (++zeros > maxBytes) return null;
    start++;
  }
  // If the first byte of the result is small, a text with one character more than this quotient still fits.
  if (end - start > (maxBytes - zeros) * CHARS_PER_BYTE + 1) return null;
  const bytes = make(maxBytes - zeros + 1);
  let used = 0;
  let good = true;
  for (let i = start; i < end && good; i++) {
    const code = codeAt(i);
    let carry = code < 128 ? DIGITS[code] : -1;
    good = carry >= 0;
    let k = 0;
    for (; k < used || carry > 0; k++) {
      carry += bytes[k] * 58;
      bytes[k] = carry & 0xff;
      carry >>>= 8;
    }
    used = k;
    good &&= zeros + used <= maxBytes;
  }
  const out = good ? make(zeros + used) : null;
  for (let k = 0; out !== null && k < used; k++) out[zeros + used - 1 - k] = bytes[k];
  // Wipe the bytes, which may be a private key.
  bytes.fill(0);
  return out;
}

/** Encodes bytes as Base58 with a checksum: the first four bytes of their double SHA-256. */
export const encodeBase58Check = (bytes: Uint8Array, hashes: Hashes): string => asciiText(encodeBase58CheckAscii(bytes, hashes));

/** Encodes bytes as Base58Check in ASCII codes, so that the caller can overwrite the text of a private key. */
export function encodeBase58CheckAscii(bytes: Uint8Array, hashes: Hashes): Uint8Array {
  const joined = new Uint8Array(bytes.length + CHECKSUM_SIZE);
  joined.set(bytes);
  joined.set(hashes.sha256d(bytes).subarray(0, CHECKSUM_SIZE), bytes.length);
  const ascii = encodeBase58Ascii(joined);
  joined.fill(0);
  return ascii;
}

const plainBytes = (size: number): Uint8Array => new Uint8Array(size);

/**
 * Decodes Base58Check.
 * @param maxBytes largest result without the checksum
 * @param make allocates the arrays, as in decodeBase58
 * @returns the bytes without the checksum; null if anything is wrong
 */
export function decodeBase58Check(text: string | Uint8Array, maxBytes: number, hashes: Hashes, make = plainBytes): Uint8Array | null {
  const joined = decodeBase58(text, maxBytes + CHECKSUM_SIZE, make);
  if (joined === null || joined.length < CHECKSUM_SIZE) return null;
  const bytes = joined.subarray(0, joined.length - CHECKSUM_SIZE);
  const checksum = hashes.sha256d(bytes);
  for (let i = 0; i < CHECKSUM_SIZE; i++) {
    if (checksum[i] === joined[bytes.length + i]) continue;
    joined.fill(0);
    return null;
  }
  return bytes;
}

/** Returns whether a code is a space, tab, line feed, vertical tab, form feed or carriage return. */
function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}
