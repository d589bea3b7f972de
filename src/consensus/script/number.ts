// Script numbers: little-endian, sign in the top bit of the last byte, empty for zero. Operands have at most 4 bytes (5
// for lock times), and results may have one more, so JavaScript numbers represent all of them exactly.

const EMPTY = new Uint8Array(0);

/** Default size limit of numeric operands in bytes. */
export const MAX_NUMBER_SIZE = 4;

/**
 * Reads a script number.
 * @param requireMinimal refuse padding (BIP-0062 rule 4)
 * @returns NaN if the number is too long or not minimal; callers test with `Number.isNaN` or `n !== n`
 */
export function decodeNumber(bytes: Uint8Array, requireMinimal: boolean, maxSize = MAX_NUMBER_SIZE): number {
  const length = bytes.length;
  if (length > maxSize) return Number.NaN;
  if (length === 0) return 0;
  const last = bytes[length - 1];
  // A last byte that only contains the sign is minimal only if the previous byte uses its own top bit for the value.
  if (requireMinimal && (last & 0x7f) === 0 && (length === 1 || (bytes[length - 2] & 0x80) === 0)) return Number.NaN;
  let magnitude = last & 0x7f;
  for (let i = length - 2; i >= 0; i--) magnitude = magnitude * 256 + bytes[i];
  // Write `0 - magnitude` instead of `-magnitude`, so that negative zero becomes zero.
  return (last & 0x80) !== 0 ? 0 - magnitude : magnitude;
}

/** Returns the shortest encoding of an integer (magnitude below 2^53). */
export function encodeNumber(value: number): Uint8Array {
  if (value === 0) return EMPTY;
  let rest = Math.abs(value);
  let size = 1;
  // The top bit of the last byte is the sign, so each size can hold only half of the values of its bytes.
  for (let limit = 0x80; rest >= limit; limit *= 256) size++;
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i++) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  if (value < 0) bytes[size - 1] |= 0x80;
  return bytes;
}

/**
 * Returns whether a stack element is true. It is false if all bytes are zero; a last byte of 80 (negative zero) counts
 * as zero.
 */
export function castToBool(bytes: Uint8Array): boolean {
  const last = bytes.length - 1;
  for (let i = 0; i <= last; i++) {
    const byte = bytes[i];
    if (byte !== 0) return !(i === last && byte === 0x80);
  }
  return false;
}
