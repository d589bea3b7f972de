// Checks which half of the group order S is in. Libraries accept only low S, so both curve implementations check this
// first.

/** Half the order of secp256k1, rounded down, big-endian (BIP-0062 rule 5, BIP-0146). */
const HALF_ORDER = Uint8Array.of(
  0x7f,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0xff,
  0x5d,
  0x57,
  0x6e,
  0x73,
  0x57,
  0xa4,
  0x50,
  0x1d,
  0xdf,
  0xe9,
  0x2f,
  0x46,
  0x68,
  0x1b,
  0x20,
  0xa0,
);

/** Returns whether S of a compact signature is above half the order. @param signature 64 bytes, r then s, big-endian */
export function isHighS(signature: Uint8Array): boolean {
  // Compare the first byte first. It decides almost every case.
  for (let i = 0; i < 32; i++) {
    const byte = signature[32 + i];
    const half = HALF_ORDER[i];
    if (byte !== half) return byte > half;
  }
  return false;
}
