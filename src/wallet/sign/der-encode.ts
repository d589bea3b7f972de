// Writes signatures in strict DER (BIP-0066) with their hash type behind, as inputs carry them.

const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** @param compact 64 bytes, r then s @param hashType the byte behind the signature */
export function encodeSignature(compact: Uint8Array, hashType: number): Uint8Array {
  const r = integer(compact.subarray(0, 32));
  const s = integer(compact.subarray(32, 64));
  return Uint8Array.of(SEQUENCE, 4 + r.length + s.length, INTEGER, r.length, ...r, INTEGER, s.length, ...s, hashType);
}

/** Minimal and positive: no zero in front but one that keeps the sign bit free. */
function integer(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 31 && bytes[start] === 0) start++;
  const trimmed = bytes.subarray(start);
  return trimmed[0] < 0x80 ? trimmed : Uint8Array.of(0, ...trimmed);
}
