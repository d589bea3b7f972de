// Arrays for secrets. Small arrays usually lie on V8's heap, where the collector moves them and leaves copies behind
// that no code can overwrite; an array over a buffer of its own stays where it is. Used wherever private keys, master
// keys and passphrases are held.

/** Zeros, for a secret of so many bytes. */
export const secretBytes = (size: number): Uint8Array<ArrayBuffer> => new Uint8Array(new ArrayBuffer(size));

/** A copy of a secret, which its receiver overwrites. */
export function secretCopy(secret: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = secretBytes(secret.length);
  copy.set(secret);
  return copy;
}
