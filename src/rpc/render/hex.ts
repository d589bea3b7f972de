// Hex of bytes and hashes through Buffer, which is several times faster than the portable code below the wall. For replies.

/** Lower-case hex in the bytes' own order. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Display hex of a hash: its bytes backwards. */
export function hashHex(hash: Uint8Array): string {
  return Buffer.from(hash).reverse().toString('hex');
}

/** A 32-bit number as eight hex digits. */
export function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
