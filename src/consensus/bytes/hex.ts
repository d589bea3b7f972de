// Hex text and comparisons of byte arrays. This is the only file that reverses hashes. Bitcoin displays 32-byte hashes
// backwards, so names that end in Hex contain the result of hashToHex. All other hashes are in internal order.

import { DecodeError } from './reader.js';

const DIGITS = '0123456789abcdef';
const CODES = Uint16Array.from(DIGITS, (c) => c.charCodeAt(0));
const NOT_HEX = 0xff;
const VALUES = new Uint8Array(128).fill(NOT_HEX);
for (let i = 0; i < 16; i++) {
  VALUES[DIGITS.charCodeAt(i)] = i;
  VALUES[DIGITS.toUpperCase().charCodeAt(i)] = i;
}
// Bytes per String.fromCharCode call: two arguments each, far below the engine's limit of arguments.
const CHUNK = 4096;
const HASH_BYTES = 32;

/** Returns lower-case hex of the bytes in their order. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(at + CHUNK, bytes.length);
    // A plain array: creating a typed one takes longer than everything else about a short text.
    const codes = new Array<number>(2 * (end - at));
    for (let n = 0; at < end; at++) {
      const b = bytes[at];
      codes[n++] = CODES[b >> 4];
      codes[n++] = CODES[b & 15];
    }
    text += String.fromCharCode.apply(null, codes);
  }
  return text;
}

/**
 * Decodes hex text in either case. Empty text gives no bytes.
 * @throws DecodeError
 */
export function fromHex(text: string): Uint8Array {
  if (text.length % 2 !== 0) throw new DecodeError('hex text of odd length');
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0, at = 0; i < bytes.length; i++, at += 2) {
    const high = text.charCodeAt(at);
    const low = text.charCodeAt(at + 1);
    const h = high < 128 ? VALUES[high] : NOT_HEX;
    const l = low < 128 ? VALUES[low] : NOT_HEX;
    if ((h | l) > 15) throw new DecodeError('not hex');
    bytes[i] = (h << 4) | l;
  }
  return bytes;
}

/** Returns whether the text is hex as in Core's IsHex: non-empty, even length, hex digits only. */
export function isHex(text: string): boolean {
  if (text.length === 0 || text.length % 2 !== 0) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 128 || VALUES[code] === NOT_HEX) return false;
  }
  return true;
}

/** Returns the display hex of a hash: its bytes in reverse order. */
export function hashToHex(hash: Uint8Array): string {
  const codes = new Array<number>(2 * hash.length);
  for (let at = hash.length - 1, n = 0; at >= 0; at--) {
    const b = hash[at];
    codes[n++] = CODES[b >> 4];
    codes[n++] = CODES[b & 15];
  }
  return String.fromCharCode.apply(null, codes);
}

/**
 * Returns a hash in internal order from 64 digits of display hex.
 * @throws DecodeError
 */
export function hashFromHex(hex: string): Uint8Array {
  if (hex.length !== 64) throw new DecodeError('a hash has 64 hex digits');
  return fromHex(hex).reverse();
}

/**
 * Returns a string for Map and Set keys. Two strings are equal if and only if the bytes are equal: one Latin-1
 * character per byte.
 */
export function hashKey(bytes: Uint8Array): string {
  if (bytes.length !== HASH_BYTES) return String.fromCharCode.apply(null, bytes as unknown as number[]);
  // Most keys are hashes of 32 bytes. With an array as arguments, the call would take V8 four times as long.
  const b = bytes;
  // biome-ignore format: a row for each eight bytes
  return String.fromCharCode(
    b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7],
    b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15],
    b[16], b[17], b[18], b[19], b[20], b[21], b[22], b[23],
    b[24], b[25], b[26], b[27], b[28], b[29], b[30], b[31],
  );
}

/** Returns whether both arrays have the same bytes. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * Compares byte arrays byte by byte; a prefix of another array sorts first. Returns a negative number, 0 or a positive
 * number.
 */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

/** Returns whether all bytes are zero. */
export function isZero(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false;
  return true;
}
