// Arithmetic modulo secp256k1's p in bigints, for ElligatorSwift and for coins stored by their x coordinate. Not
// constant-time, so for public values only.

/** The prime p: 2^256 - 2^32 - 977. */
export const FIELD_P = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn;

/** Returns the least non-negative remainder modulo p. */
export function reduce(value: bigint): bigint {
  const rest = value % FIELD_P;
  return rest < 0n ? rest + FIELD_P : rest;
}

/** Decodes 32 bytes, big-endian, into a number below 2^256. */
export function numberOfBytes(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 32);
  return (view.getBigUint64(0) << 192n) | (view.getBigUint64(8) << 128n) | (view.getBigUint64(16) << 64n) | view.getBigUint64(24);
}

/** Encodes a number below 2^256 as 32 bytes, big-endian. */
export function bytesOfNumber(value: bigint): Uint8Array {
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < 4; i++) view.setBigUint64(i * 8, BigInt.asUintN(64, value >> BigInt(192 - 64 * i)));
  return bytes;
}

/** Squares a value n times. */
function squares(value: bigint, n: number): bigint {
  for (let i = 0; i < n; i++) value = (value * value) % FIELD_P;
  return value;
}

/**
 * Returns a square root; null if there is none. The other root is its negative. p is 3 modulo 4, so the root is the
 * value raised to (p + 1) / 4. The binary digits of this exponent are 223 ones, a zero, 22 ones, four zeros, two ones
 * and two zeros. Runs of ones are built by doubling.
 */
export function squareRoot(value: bigint): bigint | null {
  const join = (high: bigint, low: bigint, bits: number): bigint => (squares(high, bits) * low) % FIELD_P;
  const ones2 = join(value, value, 1);
  const ones3 = join(ones2, value, 1);
  const ones6 = join(ones3, ones3, 3);
  const ones9 = join(ones6, ones3, 3);
  const ones11 = join(ones9, ones2, 2);
  const ones22 = join(ones11, ones11, 11);
  const ones44 = join(ones22, ones22, 22);
  const ones88 = join(ones44, ones44, 44);
  const ones176 = join(ones88, ones88, 88);
  const ones220 = join(ones176, ones44, 44);
  const ones223 = join(ones220, ones3, 3);
  const root = squares(join(join(ones223, ones22, 23), ones2, 6), 2);
  return (root * root) % FIELD_P === value ? root : null;
}

/** Returns the inverse of a number below p; 0 for 0. */
export function inverse(value: bigint): bigint {
  let [before, factor, high, low] = [0n, 1n, FIELD_P, value];
  while (low !== 0n) {
    const quotient = high / low;
    [before, factor] = [factor, before - quotient * factor];
    [high, low] = [low, high - quotient * low];
  }
  return value === 0n ? 0n : reduce(before);
}

/** Returns one of the two y coordinates for an x coordinate; null if there is no such point. @param x below p */
export function curveY(x: bigint): bigint | null {
  return squareRoot(reduce(x * x * x + 7n));
}
