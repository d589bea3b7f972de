// ElligatorSwift: public keys as 64 bytes that look random (BIP-0324). Contains the mapping in bigints, for systems
// whose libsecp256k1 lacks it, and the interface that both implementations have (crypto/native/ell-swift.ts). The net
// module uses the interface.
import { bytesOfNumber, curveY, FIELD_P, inverse, numberOfBytes, reduce, squareRoot } from './secp-field.js';

/** Size of a public key in ElligatorSwift encoding, bytes. */
export const ELLSWIFT_BYTES = 64;

/** Private key and its encoded public key, for one connection. */
export interface EllSwiftKey {
  /** Private key, 32 bytes, which its owner wipes. */
  readonly secret: Uint8Array;
  /** Encoded public key, 64 bytes. */
  readonly encoding: Uint8Array;
}

/** Key exchange on encoded keys. */
export interface EllSwift {
  /** Name of the library in use, for the log. */
  readonly backend: string;
  /** Creates a new key. */
  createKey(): EllSwiftKey;
  /**
   * Returns the secret shared with the owner of another key (BIP-0324's v2_ecdh): a tagged hash of both encodings, the
   * initiator's first, and x. Any 64 bytes are a valid key.
   * @param theirs 64 bytes
   * @returns 32 bytes
   */
  sharedSecret(ours: EllSwiftKey, theirs: Uint8Array, initiating: boolean): Uint8Array;
}

/** Square root of -3 modulo the field prime, which the mapping of BIP-0324 needs. */
const ROOT_MINUS_3 = squareRoot(FIELD_P - 3n) as bigint;
const HALF = inverse(2n);
/** (1 - r) / 2 and (1 + r) / 2 modulo the field prime, where r is the square root of -3. */
const FACTOR_MINUS = reduce((1n - ROOT_MINUS_3) * HALF);
const FACTOR_PLUS = reduce((1n + ROOT_MINUS_3) * HALF);

/** Returns the x coordinate that u and t (below p) encode. Every pair encodes one. */
export function xOfPair(u: bigint, t: bigint): bigint {
  // As in BIP-0324, replace u or t if it is zero, or if the pair would give the point at infinity.
  if (u === 0n) u = 1n;
  if (t === 0n) t = 1n;
  const g = u * u * u + 7n;
  if (reduce(g + t * t) === 0n) t = reduce(2n * t);
  // Give X and Y a common denominator, so that one modular inverse is enough for X / Y and Y.
  const top = reduce(g - t * t);
  const scale = inverse(reduce(2n * t * ROOT_MINUS_3 * u));
  const big = reduce(top * ROOT_MINUS_3 * u * scale);
  const small = reduce((big + t) * (2n * t * scale));
  const first = reduce(u + 4n * small * small);
  if (curveY(first) !== null) return first;
  const ratio = reduce(big * inverse(small));
  const second = reduce((-ratio - u) * HALF);
  return curveY(second) !== null ? second : reduce((ratio - u) * HALF);
}

/**
 * Returns a value t so that u and t encode x. Up to eight such values exist.
 * @param which number of the value, 0 to 7
 * @returns null if the value with this number does not exist
 */
export function tOfPair(x: bigint, u: bigint, which: number): bigint | null {
  let v: bigint;
  let s: bigint;
  const g = u * u * u + 7n;
  if ((which & 2) === 0) {
    if (curveY(reduce(-x - u)) !== null) return null;
    v = x;
    s = reduce(-g * inverse(reduce(u * u + u * v + v * v)));
  } else {
    s = reduce(x - u);
    if (s === 0n) return null;
    const r = squareRoot(reduce(-s * (4n * g + 3n * s * u * u)));
    if (r === null || ((which & 1) === 1 && r === 0n)) return null;
    v = reduce((r * inverse(s) - u) * HALF);
  }
  const w = squareRoot(s);
  if (w === null) return null;
  const t = reduce(w * (u * ((which & 1) === 0 ? FACTOR_MINUS : FACTOR_PLUS) + v));
  const negative = (which & 5) === 0 || (which & 5) === 5;
  return negative ? reduce(-t) : t;
}

/** Decodes an x coordinate. @param encoding any 64 bytes @returns 32 bytes */
export function decodeEllSwift(encoding: Uint8Array): Uint8Array {
  const u = reduce(numberOfBytes(encoding));
  const t = reduce(numberOfBytes(encoding.subarray(32)));
  return bytesOfNumber(xOfPair(u, t));
}

/**
 * Returns one of the many encodings of a key, all equally probable.
 * @param x the key's x coordinate, 32 bytes
 * @param random returns that many unpredictable bytes
 * @returns 64 bytes
 */
export function encodeEllSwift(x: Uint8Array, random: (bytes: number) => Uint8Array): Uint8Array {
  const xNumber = numberOfBytes(x);
  // One try in four succeeds.
  for (;;) {
    const draw = random(33);
    const u = numberOfBytes(draw);
    if (u === 0n || u >= FIELD_P) continue;
    const t = tOfPair(xNumber, u, draw[32] & 7);
    if (t === null) continue;
    const encoding = new Uint8Array(ELLSWIFT_BYTES);
    encoding.set(draw.subarray(0, 32));
    encoding.set(bytesOfNumber(t), 32);
    return encoding;
  }
}
