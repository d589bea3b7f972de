// Key stream of ChaCha20 (RFC 8439's block function with Bernstein's 64-bit counter), as words.

/** The constant "expand 32-byte k". */
const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;

function quarter(x: Uint32Array, a: number, b: number, c: number, d: number): void {
  x[a] += x[b];
  x[d] = rotate(x[d] ^ x[a], 16);
  x[c] += x[d];
  x[b] = rotate(x[b] ^ x[c], 12);
  x[a] += x[b];
  x[d] = rotate(x[d] ^ x[a], 8);
  x[c] += x[d];
  x[b] = rotate(x[b] ^ x[c], 7);
}

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/**
 * Fills words with the key stream, with nonce 0 and from counter 0 on.
 * @param key 32 bytes
 * @param words receives little-endian words; its length is a multiple of 16
 */
export function chacha20Words(key: Uint8Array, words: Uint32Array): void {
  const view = new DataView(key.buffer, key.byteOffset, 32);
  const input = new Uint32Array(16);
  input.set(SIGMA);
  for (let i = 0; i < 8; i++) input[4 + i] = view.getUint32(i * 4, true);
  for (let at = 0; at < words.length; at += 16) {
    const x = words.subarray(at, at + 16);
    x.set(input);
    for (let round = 0; round < 10; round++) {
      quarter(x, 0, 4, 8, 12);
      quarter(x, 1, 5, 9, 13);
      quarter(x, 2, 6, 10, 14);
      quarter(x, 3, 7, 11, 15);
      quarter(x, 0, 5, 10, 15);
      quarter(x, 1, 6, 11, 12);
      quarter(x, 2, 7, 8, 13);
      quarter(x, 3, 4, 9, 14);
    }
    for (let i = 0; i < 16; i++) x[i] += input[i];
    input[12]++;
  }
}
