// The eight characters after a descriptor's '#': a BCH code over the text, which finds any change of a few characters.
// Used by parse.ts. Core: script/descriptor.cpp.

const INPUT = '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#"\\ ';
const OUTPUT = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0xf5dee51989n, 0xa9fdca3312n, 0x1bab10e32dn, 0x3706b1677an, 0x644d626ffdn] as const;
/** Characters of a checksum, 5 bits each. */
export const CHECKSUM_LENGTH = 8;

function step(state: bigint, value: number): bigint {
  const top = Number(state >> 35n);
  let next = ((state & 0x7ffffffffn) << 5n) ^ BigInt(value);
  for (let bit = 0; bit < 5; bit++) if ((top >> bit) & 1) next ^= GENERATOR[bit];
  return next;
}

/** The checksum of a descriptor without its own; null when a character is outside the alphabet. */
export function descriptorChecksum(text: string): string | null {
  let state = 1n;
  // Every character gives its low five bits at once, and its group (high bits) together with its two neighbours'.
  let group = 0;
  let pending = 0;
  for (const char of text) {
    const at = INPUT.indexOf(char);
    if (at < 0) return null;
    state = step(state, at & 31);
    group = group * 3 + (at >> 5);
    if (++pending === 3) {
      state = step(state, group);
      group = 0;
      pending = 0;
    }
  }
  if (pending > 0) state = step(state, group);
  for (let i = 0; i < CHECKSUM_LENGTH; i++) state = step(state, 0);
  state ^= 1n;
  let out = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) out += OUTPUT[Number((state >> BigInt(5 * (7 - i))) & 31n)];
  return out;
}

/**
 * Splits text and checksum and checks the latter when there is one.
 * @returns the text, or Core's message
 */
export function stripChecksum(text: string): { payload: string } | { error: string } {
  const [payload = '', given, ...more] = text.split('#');
  if (more.length > 0) return { error: "Multiple '#' symbols" };
  if (given !== undefined && given.length !== CHECKSUM_LENGTH) {
    return { error: `Expected ${CHECKSUM_LENGTH} character checksum, not ${given.length} characters` };
  }
  const computed = descriptorChecksum(payload);
  if (computed === null) return { error: 'Invalid characters in payload' };
  if (given !== undefined && given !== computed) {
    return { error: `Provided checksum '${given}' does not match computed checksum '${computed}'` };
  }
  return { payload };
}
