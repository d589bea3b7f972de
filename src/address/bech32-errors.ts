// Explains why a text is not Bech32, and where it is wrong. The checksum locates up to two wrong symbols: it is a code
// over GF(32) whose generator has the roots e^997, e^998 and e^999, where e generates GF(1024) (BIP-0173). This module
// offers no corrections, because the user must check a mistyped address. Core: bech32.cpp LocateErrors.
import { BECH32_CONSTANTS, bech32Values, hrpState, polymod } from './bech32.js';

/** Error in Core's words, and indexes of characters that are probably wrong. */
export interface Bech32Fault {
  readonly error: string;
  readonly locations: readonly number[];
}

const MAX_LENGTH = 90;
/** Largest number of characters beyond the maximum length that an error lists, because a text may have millions. */
const MAX_LISTED = 1000;
const CHECKSUM_LENGTH = 6;
const ORDER = 1023;
/** Step between powers of e that are in GF(32): the nonzero elements of GF(32) are the powers of e^33. */
const SUBFIELD_STEP = 33;
const FIRST_ROOT = 997;

/** Powers of e. An element a*e + b, with a and b in GF(32), is stored as a * 32 + b; e*e = 9e + 23. */
const EXP = new Int16Array(ORDER);
const LOG = new Int16Array(ORDER + 1).fill(-1);
for (let i = 0, element = 1; i < ORDER; i++) {
  EXP[i] = element;
  LOG[element] = i;
  const [high, low] = [element >>> 5, element & 31];
  element = ((low ^ times32(high, 9)) << 5) | times32(high, 23);
}

/** Multiplies two elements of GF(32), where a^5 = a^3 + 1. */
function times32(x: number, y: number): number {
  let product = 0;
  for (let bit = 0, shifted = x; bit < 5; bit++) {
    if (((y >>> bit) & 1) !== 0) product ^= shifted;
    shifted <<= 1;
    if ((shifted & 32) !== 0) shifted ^= 0b101001;
  }
  return product;
}

/** Multiplies an element by a power of e. */
const shift = (element: number, power: number): number => (element === 0 ? 0 : EXP[(LOG[element] + power) % ORDER]);

/** Returns what is wrong with a text that decodeBech32 refuses. */
export function locateBech32Errors(text: string): Bech32Fault {
  if (text.length > MAX_LENGTH) {
    const over = Math.min(text.length - MAX_LENGTH, MAX_LISTED);
    return { error: 'Bech32 string too long', locations: Array.from({ length: over }, (_, i) => MAX_LENGTH + i) };
  }
  const strange = wrongCharacters(text);
  if (strange.length > 0) return { error: 'Invalid character or mixed case', locations: strange };
  const separator = text.lastIndexOf('1');
  if (separator < 0) return { error: 'Missing separator', locations: [] };
  if (separator === 0 || separator + CHECKSUM_LENGTH >= text.length) {
    return { error: 'Invalid separator position', locations: [separator] };
  }
  const lower = text.toLowerCase();
  const symbols = bech32Values(lower.slice(separator + 1));
  const unknown = symbols.indexOf(-1);
  if (unknown >= 0) return { error: 'Invalid Base 32 character', locations: [separator + 1 + unknown] };
  return checksumFault(lower.slice(0, separator), symbols, text.length);
}

/** Returns the indexes of characters that Bech32 never has, and of those in the second case of a mixed-case text. */
function wrongCharacters(text: string): number[] {
  const found: number[] = [];
  let first: 'lower' | 'upper' | null = null;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const kind = code >= 0x61 && code <= 0x7a ? 'lower' : code >= 0x41 && code <= 0x5a ? 'upper' : null;
    if (code < 33 || code > 126 || (kind !== null && first !== null && kind !== first)) found.push(i);
    else first ??= kind;
  }
  return found;
}

/**
 * Returns the error for a wrong checksum. The text does not say whether Bech32 or Bech32m is meant, so the one with
 * fewer errors counts.
 */
function checksumFault(hrp: string, symbols: Int8Array, length: number): Bech32Fault {
  const state = polymod(symbols, hrpState(hrp));
  let error = 'Invalid checksum';
  let locations: number[] = [];
  for (const encoding of ['bech32', 'bech32m'] as const) {
    const found = positions(state ^ BECH32_CONSTANTS[encoding], symbols.length).map((power) => length - 1 - power);
    if (found.length === 0 || (locations.length > 0 && found.length >= locations.length)) continue;
    locations = found;
    error = encoding === 'bech32' ? 'Invalid Bech32 checksum' : 'Invalid Bech32m checksum';
  }
  return { error, locations };
}

/**
 * Returns the positions of the wrong symbols if one or two explain the residue of the checksum, as powers of x, highest
 * first. Returns an empty list if more symbols are wrong.
 * @param residue six symbols of five bits, the coefficient of x^5 on top
 */
function positions(residue: number, length: number): number[] {
  const [s0, s1, s2] = [0, 1, 2].map((i) => valueAt(residue, FIRST_ROOT + i));
  if (s0 !== 0 && s1 !== 0 && s2 !== 0 && (2 * LOG[s1] - LOG[s0] - LOG[s2] + 2 * ORDER) % ORDER === 0) {
    // One error v at p leaves v*e^(997p), v*e^(998p), v*e^(999p).
    const power = (LOG[s1] - LOG[s0] + ORDER) % ORDER;
    return power < length && isSymbol(s0, power) ? [power] : [];
  }
  for (let p = 0; p < length; p++) {
    // If one error is at p, removing it leaves only the second error in both values. Their ratio is then e^q, where q
    // is the second position.
    const upper = s2 ^ shift(s1, p);
    const lower = s1 ^ shift(s0, p);
    if (upper === 0 || lower === 0) continue;
    const q = (LOG[upper] - LOG[lower] + ORDER) % ORDER;
    if (q >= length || q === p) continue;
    const other = s1 ^ shift(s0, q);
    if (other === 0) continue;
    const apart = ORDER - LOG[EXP[p] ^ EXP[q]];
    if (isSymbol(shift(lower, apart), q) && isSymbol(shift(other, apart), p)) return p > q ? [p, q] : [q, p];
  }
  return [];
}

/**
 * Returns whether an error at this position is a 5-bit symbol, judged by its contribution at e^997. Other elements of
 * GF(1024) are impossible.
 */
const isSymbol = (contribution: number, power: number): boolean => (LOG[contribution] + (ORDER - FIRST_ROOT) * power) % SUBFIELD_STEP === 0;

/** Evaluates the polynomial of the residue at a power of e. */
function valueAt(residue: number, power: number): number {
  let value = 0;
  for (let k = 0; k < CHECKSUM_LENGTH; k++) value ^= shift((residue >>> (5 * k)) & 31, power * k);
  return value;
}
