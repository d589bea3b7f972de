// Allocates arrays for private keys, master keys and passphrases. Small arrays are usually on V8's heap, where the
// garbage collector moves them and leaves copies that no code can overwrite. An array with a buffer of its own does not
// move.

/** Returns an array of zeros for a secret. */
export const secretBytes = (size: number): Uint8Array<ArrayBuffer> => new Uint8Array(new ArrayBuffer(size));

/** Returns a copy of a secret, which the receiver overwrites. */
export function secretCopy(secret: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = secretBytes(secret.length);
  copy.set(secret);
  return copy;
}
