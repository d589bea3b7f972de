// Memory in which bytes are joined to be hashed at once: arrays above 64 bytes lie outside the collector's heap, and
// making one costs more than hashing it. Nothing is left in here between two synchronous calls.

/** Longer ones get their own memory rather than pinning much of it for good. */
const SHARED_SIZE = 1 << 16;
const sharedBuffer = new Uint8Array(SHARED_SIZE);

/** An array of exactly `size` bytes, content undefined, valid until the next call. */
export function joinBuffer(size: number): Uint8Array {
  return size <= SHARED_SIZE ? sharedBuffer.subarray(0, size) : new Uint8Array(size);
}
