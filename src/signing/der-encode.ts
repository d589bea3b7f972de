// Encodes signatures in strict DER (BIP-0066), followed by their hash type, as in inputs.

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const SCALAR = 32;

/** Encodes a signature. @param compact 64 bytes, r then s @param hashType last byte */
export function encodeSignature(compact: Uint8Array, hashType: number): Uint8Array {
  const r = firstByte(compact, 0);
  const s = firstByte(compact, SCALAR);
  // If the first byte has its top bit set, a leading zero keeps the number positive.
  const rSize = SCALAR - r + (compact[r] >> 7);
  const sSize = 2 * SCALAR - s + (compact[s] >> 7);
  const out = new Uint8Array(7 + rSize + sSize);
  out[0] = SEQUENCE;
  out[1] = 4 + rSize + sSize;
  out[2] = INTEGER;
  out[3] = rSize;
  for (let from = SCALAR, to = 4 + rSize; from > r; ) out[--to] = compact[--from];
  out[4 + rSize] = INTEGER;
  out[5 + rSize] = sSize;
  for (let from = 2 * SCALAR, to = 6 + rSize + sSize; from > s; ) out[--to] = compact[--from];
  out[6 + rSize + sSize] = hashType;
  return out;
}

/**
 * Returns the offset of the first byte of a 32-byte number without leading zeros; for zero, the offset of the last
 * byte.
 */
function firstByte(compact: Uint8Array, at: number): number {
  let first = at;
  while (first < at + SCALAR - 1 && compact[first] === 0) first++;
  return first;
}
