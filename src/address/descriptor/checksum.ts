// Computes the eight characters after a descriptor's '#': a BCH code over the text that detects any change of a few
// characters (BIP-0380). Core: script/descriptor.cpp.

const INPUT = '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#"\\ ';
const OUTPUT = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
/** Number of characters of a checksum, 5 bits each. */
export const CHECKSUM_LENGTH = 8;

/** Position of each character in the input alphabet. */
const PLACES = new Int8Array(128).fill(-1);
for (let i = 0; i < INPUT.length; i++) PLACES[INPUT.charCodeAt(i)] = i;

// The state has 40 bits and is stored in two halves of 20. GENERATOR_HIGH and GENERATOR_LOW are the halves of the
// code's generator, combined for every value of the five bits that leave the state.
const GENERATOR = [0xf5dee51989, 0xa9fdca3312, 0x1bab10e32d, 0x3706b1677a, 0x644d626ffd] as const;
const HALF = 0x100000;
const MASK = HALF - 1;
const GENERATOR_HIGH = new Int32Array(32);
const GENERATOR_LOW = new Int32Array(32);
for (let top = 0; top < 32; top++) {
  for (let bit = 0; bit < 5; bit++) {
    if (((top >> bit) & 1) === 0) continue;
    GENERATOR_HIGH[top] ^= Math.floor(GENERATOR[bit] / HALF);
    GENERATOR_LOW[top] ^= GENERATOR[bit] % HALF;
  }
}

/**
 * Returns the checksum of a descriptor's text (without '#' and checksum), given as a string or as ASCII codes; null if
 * a character is not in the alphabet.
 */
export function descriptorChecksum(text: string | Uint8Array): string | null {
  const codeAt = typeof text === 'string' ? (i: number) => text.charCodeAt(i) : (i: number) => text[i];
  let high = 0;
  let low = 1;
  const step = (value: number): void => {
    const top = high >> 15;
    high = (((high << 5) | (low >> 15)) & MASK) ^ GENERATOR_HIGH[top];
    low = ((low << 5) & MASK) ^ value ^ GENERATOR_LOW[top];
  };
  // Every character adds a symbol with its low five bits. The high bits of three consecutive characters (their groups)
  // are added as one more symbol.
  let group = 0;
  let pending = 0;
  for (let i = 0; i < text.length; i++) {
    const code = codeAt(i);
    const place = code < 128 ? PLACES[code] : -1;
    if (place < 0) return null;
    step(place & 31);
    group = group * 3 + (place >> 5);
    if (++pending === 3) {
      step(group);
      group = 0;
      pending = 0;
    }
  }
  if (pending > 0) step(group);
  for (let i = 0; i < CHECKSUM_LENGTH; i++) step(0);
  low ^= 1;
  let out = '';
  for (let i = 0; i < 4; i++) out += OUTPUT[(high >> (5 * (3 - i))) & 31];
  for (let i = 0; i < 4; i++) out += OUTPUT[(low >> (5 * (3 - i))) & 31];
  return out;
}

/** Appends '#' and the checksum. @param text characters of the alphabet */
export function addChecksum(text: string): string {
  return `${text}#${descriptorChecksum(text)}`;
}

/**
 * Splits text and checksum, and verifies a checksum that is present.
 * @param required whether the text must have a checksum
 * @param checksumOf computes the checksum; needed if the text has tokens instead of private keys
 * @returns the text and its checksum, or Core's message
 */
export function stripChecksum(
  text: string,
  required = false,
  checksumOf: (payload: string) => string | null = descriptorChecksum,
): { payload: string; checksum: string } | { error: string } {
  const [payload = '', given, ...more] = text.split('#', 3);
  if (more.length > 0) return { error: "Multiple '#' symbols" };
  if (given === undefined && required) return { error: 'Missing checksum' };
  const size = given === undefined ? CHECKSUM_LENGTH : utf8Length(given);
  if (size !== CHECKSUM_LENGTH) return { error: `Expected ${CHECKSUM_LENGTH} character checksum, not ${size} characters` };
  const checksum = checksumOf(payload);
  if (checksum === null) return { error: 'Invalid characters in payload' };
  if (given !== undefined && given !== checksum) {
    return { error: `Provided checksum '${given}' does not match computed checksum '${checksum}'` };
  }
  return { payload, checksum };
}

/** Returns the length of a text in UTF-8 bytes, which Core's messages show. */
function utf8Length(text: string): number {
  let size = 0;
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    size += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return size;
}
