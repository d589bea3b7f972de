// Hex of bytes and hashes through Buffer, which is several times faster than the portable code below the wall. For
// replies.

// Short bytes are copied here first: a view made for each would cost more than its hex.
const scratch = Buffer.alloc(128);

/** Lower-case hex in the bytes' own order. */
export function hex(bytes: Uint8Array): string {
  if (bytes.length <= scratch.length) {
    scratch.set(bytes);
    return scratch.toString('hex', 0, bytes.length);
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Display hex of a hash: its bytes backwards. */
export function hashHex(hash: Uint8Array): string {
  const last = hash.length - 1;
  if (last >= scratch.length) return Buffer.from(hash).reverse().toString('hex');
  for (let i = 0; i <= last; i++) scratch[i] = hash[last - i];
  return scratch.toString('hex', 0, hash.length);
}

/** A 32-bit number as eight hex digits. */
export function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
