// Map keys of hashes, for the few places that keep maps of them beside the pool.
import { Buffer } from 'node:buffer';

const latin1 = Buffer.prototype.latin1Slice;

/** One character per byte: the same key as consensus/bytes/hex.ts makes, at a quarter of the time. */
export function keyOf(bytes: Uint8Array): string {
  return latin1.call(bytes, 0, bytes.length);
}

/** The bytes that a key was made of. */
export function bytesOfKey(key: string): Uint8Array {
  return new Uint8Array(Buffer.from(key, 'latin1'));
}
