// Shared memory for joining bytes before they are hashed. Arrays above 64 bytes are outside V8's heap, and creating one
// costs more than hashing it. The content is valid only until the end of a synchronous call.

/** Size in bytes up to which the shared buffer is used. Larger results get an array of their own. */
const SHARED_SIZE = 1 << 16;
const sharedBuffer = new Uint8Array(SHARED_SIZE);

/** Returns an array of exactly `size` bytes with undefined content, valid until the next call. */
export function joinBuffer(size: number): Uint8Array {
  return size <= SHARED_SIZE ? sharedBuffer.subarray(0, size) : new Uint8Array(size);
}
