// Buffer for preimages of signature hashes, and functions that write into it. A preimage is needed only until its hash
// is computed, within one synchronous call, so each thread needs only one buffer.

import { writeU32 } from '../bytes/writer.js';

// Size in bytes of the shared buffer. A larger preimage (a legacy hash of a large transaction) gets a buffer of its
// own.
const SHARED_SIZE = 1 << 16;
const sharedBuffer = new Uint8Array(SHARED_SIZE);

/** Returns a buffer of at least `size` bytes with undefined content, valid until the next call. */
export function preimageBuffer(size: number): Uint8Array {
  return size <= SHARED_SIZE ? sharedBuffer : new Uint8Array(size);
}

/** Writes a compact size below 2^32. @returns the position after it */
export function writeCompactSize(out: Uint8Array, at: number, value: number): number {
  if (value < 0xfd) {
    out[at] = value;
    return at + 1;
  }
  if (value <= 0xffff) {
    out[at] = 0xfd;
    out[at + 1] = value;
    out[at + 2] = value >>> 8;
    return at + 3;
  }
  out[at] = 0xfe;
  writeU32(out, at + 1, value);
  return at + 5;
}

/** Writes a safe integer as 8 bytes little-endian. Negative numbers are written in two's complement. */
export function writeI64(out: Uint8Array, at: number, value: number): void {
  const high = Math.floor(value / 0x1_0000_0000);
  writeU32(out, at, value - high * 0x1_0000_0000);
  writeU32(out, at + 4, high);
}
