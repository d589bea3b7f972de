// Converts bytes and hashes to hex with Buffer, which is several times faster than the portable code in src/consensus.

// Short inputs are copied here first: creating a view for each would take longer than converting it.
const scratch = Buffer.alloc(128);

/** Returns lower-case hex in the order of the bytes. */
export function bytesHex(bytes: Uint8Array): string {
  if (bytes.length <= scratch.length) {
    scratch.set(bytes);
    return scratch.toString('hex', 0, bytes.length);
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Returns the hex of a hash in display order: its bytes reversed. */
export function hashHex(hash: Uint8Array): string {
  const last = hash.length - 1;
  if (last >= scratch.length) return Buffer.from(hash).reverse().toString('hex');
  for (let i = 0; i <= last; i++) scratch[i] = hash[last - i];
  return scratch.toString('hex', 0, hash.length);
}

/** Returns a 32-bit number as eight hex digits. */
export function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
