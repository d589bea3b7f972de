// Bitcoin's variable-length integer ("compact size"): 1, 3, 5 or 9 bytes.

import { ByteReader } from './reader.js';
import { ByteWriter } from './writer.js';

/** Returns the number of bytes of the compact size of `value`. */
export function compactSizeLength(value: number | bigint): number {
  if (value < 0xfd) return 1;
  if (value <= 0xffff) return 3;
  if (value <= 0xffffffff) return 5;
  return 9;
}

/** Encodes `value` (0 to 2^64 - 1) as compact size. */
export function encodeCompactSize(value: number | bigint): Uint8Array {
  return new ByteWriter(9).compactSize(value).finish();
}

/** Reads one compact size over the full 64-bit range. @throws DecodeError when truncated or not canonical */
export function parseCompactSize(bytes: Uint8Array, offset = 0): { value: bigint; length: number } {
  const reader = new ByteReader(bytes, offset);
  const value = reader.compactSizeBig();
  return { value, length: reader.offset - offset };
}
