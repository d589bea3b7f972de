// Targets: the compact form in headers, the proof-of-work check, and the work of a block. The compact form is a number
// with base 256: exponent byte, sign bit, 23-bit mantissa.

const SIGN_BIT = 0x00800000;
const MANTISSA = 0x007fffff;
const TWO_256 = 1n << 256n;

/** A decoded compact target. */
export interface CompactTarget {
  /** Magnitude, cut to 256 bits. */
  target: bigint;
  /** True if the sign bit is set and the value is not zero. */
  negative: boolean;
  /** True if the value has more than 256 bits. */
  overflow: boolean;
}

/** Decodes the compact form. @param bits unsigned 32-bit */
export function decodeCompact(bits: number): CompactTarget {
  const size = bits >>> 24;
  let mantissa = bits & MANTISSA;
  let target: bigint;
  if (size <= 3) {
    mantissa >>>= 8 * (3 - size);
    target = BigInt(mantissa);
  } else {
    target = BigInt.asUintN(256, BigInt(mantissa) << BigInt(8 * (size - 3)));
  }
  const overflow = mantissa !== 0 && (size > 34 || (mantissa > 0xff && size > 33) || (mantissa > 0xffff && size > 32));
  return { target, negative: mantissa !== 0 && (bits & SIGN_BIT) !== 0, overflow };
}

/** Encodes a non-negative target. Only its three leading bytes are kept. */
export function encodeCompact(target: bigint): number {
  let size = 0;
  for (let rest = target; rest > 0n; rest >>= 8n) size++;
  let mantissa = size <= 3 ? Number(target) << (8 * (3 - size)) : Number(target >> BigInt(8 * (size - 3)));
  // The top bit of the mantissa is the sign. If it is set, shift the mantissa by one byte and increase the exponent.
  if ((mantissa & SIGN_BIT) !== 0) {
    mantissa >>= 8;
    size++;
  }
  return ((size << 24) | mantissa) >>> 0;
}

/** Returns the hash as a number to compare with a target. The hash's bytes are little-endian. */
export function hashToBigint(hash: Uint8Array): bigint {
  let value = 0n;
  for (let i = 28; i >= 0; i -= 4) {
    const word = ((hash[i + 3] << 24) | (hash[i + 2] << 16) | (hash[i + 1] << 8) | hash[i]) >>> 0;
    value = (value << 32n) | BigInt(word);
  }
  return value;
}

/** Returns the target of these bits on a network; null if it is out of range. */
export function targetOf(bits: number, powLimit: bigint): bigint | null {
  const { target, negative, overflow } = decodeCompact(bits);
  return negative || overflow || target === 0n || target > powLimit ? null : target;
}

/** Returns whether the hash meets its target and the network allows that target. */
export function proofOfWork(hash: Uint8Array, bits: number, powLimit: bigint): boolean {
  const target = targetOf(bits, powLimit);
  return target !== null && hashToBigint(hash) <= target;
}

/** Returns the expected number of hashes for a block with these bits; 0 if they are invalid. */
export function blockProof(bits: number): bigint {
  const { target, negative, overflow } = decodeCompact(bits);
  if (negative || overflow || target === 0n) return 0n;
  return TWO_256 / (target + 1n);
}
