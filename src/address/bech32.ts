// Bech32 (BIP-0173) and Bech32m (BIP-0350): a human-readable part, the last "1", 5-bit symbols and a checksum of six
// symbols.

const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const CODES = Uint8Array.from(CHARSET, (c) => c.charCodeAt(0));
const VALUES = new Int8Array(128).fill(-1);
for (let i = 0; i < CHARSET.length; i++) VALUES[CHARSET.charCodeAt(i)] = i;

const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] as const;
/** Value to XOR into the state of the checksum for each combination of the five bits that leave it. */
const FEEDBACK = new Int32Array(32);
for (let top = 0; top < 32; top++) for (let i = 0; i < 5; i++) if (((top >>> i) & 1) !== 0) FEEDBACK[top] ^= GENERATOR[i];
const CHECKSUM_LENGTH = 6;
/** Longest string (BIP-0173). The checksum does not guarantee to detect errors in longer ones. */
const MAX_LENGTH = 90;
export const BECH32_CONSTANTS = { bech32: 1, bech32m: 0x2bc830a3 } as const;

/** Encoding of a string, which determines its checksum. */
export type Bech32Encoding = keyof typeof BECH32_CONSTANTS;

/** Decoded string. */
export interface Bech32Data {
  readonly encoding: Bech32Encoding;
  /** Human-readable part in lower case. */
  readonly hrp: string;
  /** 5-bit symbols without the checksum. */
  readonly symbols: Uint8Array;
}

/** Decodes a string with either checksum. @returns null if it has neither */
export function decodeBech32(text: string): Bech32Data | null {
  if (text.length > MAX_LENGTH) return null;
  let lower = false;
  let upper = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 33 || code > 126) return null;
    if (code >= 0x61 && code <= 0x7a) lower = true;
    else if (code >= 0x41 && code <= 0x5a) upper = true;
  }
  if (lower && upper) return null;
  const plain = upper ? text.toLowerCase() : text;
  const separator = plain.lastIndexOf('1');
  if (separator < 1 || separator + 1 + CHECKSUM_LENGTH > plain.length) return null;
  const hrp = plain.slice(0, separator);
  const size = plain.length - separator - 1;
  // Do not store the last six symbols, which are the checksum. Taking a view of the others afterwards would cost more
  // than this loop.
  const symbols = new Uint8Array(size - CHECKSUM_LENGTH);
  let checksum = hrpState(hrp);
  for (let i = 0; i < size; i++) {
    const value = VALUES[plain.charCodeAt(separator + 1 + i)];
    if (value < 0) return null;
    if (i < symbols.length) symbols[i] = value;
    checksum = step(checksum) ^ value;
  }
  if (checksum === BECH32_CONSTANTS.bech32) return { encoding: 'bech32', hrp, symbols };
  if (checksum === BECH32_CONSTANTS.bech32m) return { encoding: 'bech32m', hrp, symbols };
  return null;
}

/** Returns the symbols of lower-case characters; -1 for an invalid character. */
export const bech32Values = (text: string): Int8Array => Int8Array.from(text, (c) => VALUES[c.charCodeAt(0)] ?? -1);

/** Encodes a string. @param hrp lower case @param symbols 5-bit values */
export function encodeBech32(hrp: string, symbols: Uint8Array, encoding: Bech32Encoding): string {
  const state = polymod(new Uint8Array(CHECKSUM_LENGTH), polymod(symbols, hrpState(hrp)));
  const checksum = state ^ BECH32_CONSTANTS[encoding];
  const codes: number[] = [];
  for (let i = 0; i < symbols.length; i++) codes.push(CODES[symbols[i]]);
  for (let i = CHECKSUM_LENGTH - 1; i >= 0; i--) codes.push(CODES[(checksum >>> (5 * i)) & 31]);
  return `${hrp}1${String.fromCharCode.apply(null, codes)}`;
}

/** Converts bytes to 5-bit symbols. The last symbol is padded with zero bits. */
export function bytesToSymbols(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(Math.ceil((bytes.length * 8) / 5));
  let pending = 0;
  let bits = 0;
  let at = 0;
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out[at++] = (pending >>> bits) & 31;
    }
  }
  if (bits > 0) out[at] = (pending << (5 - bits)) & 31;
  return out;
}

/**
 * Converts symbols to bytes.
 * @param from index of the first symbol
 * @returns null if whole symbols are left over or the padding is not zero
 */
export function symbolsToBytes(symbols: Uint8Array, from = 0): Uint8Array | null {
  const out = new Uint8Array(((symbols.length - from) * 5) >>> 3);
  let pending = 0;
  let bits = 0;
  let at = 0;
  for (let i = from; i < symbols.length; i++) {
    pending = ((pending << 5) | symbols[i]) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      out[at++] = pending >>> bits;
    }
  }
  if (bits >= 5 || (pending & ((1 << bits) - 1)) !== 0) return null;
  return out;
}

export function polymod(symbols: Uint8Array | Int8Array, start: number): number {
  let state = start;
  for (let i = 0; i < symbols.length; i++) state = step(state) ^ symbols[i];
  return state;
}

/** Advances the checksum by one symbol. The state has 30 bits. */
function step(state: number): number {
  return ((state & 0x1ffffff) << 5) ^ FEEDBACK[state >>> 25];
}

/** Returns the state of the checksum after the human-readable part: its high bits, zero, its low bits. */
export function hrpState(hrp: string): number {
  let state = 1;
  for (let i = 0; i < hrp.length; i++) state = step(state) ^ (hrp.charCodeAt(i) >>> 5);
  state = step(state);
  for (let i = 0; i < hrp.length; i++) state = step(state) ^ (hrp.charCodeAt(i) & 31);
  return state;
}
