// ElligatorSwift: public keys as 64 bytes that look like noise (BIP-0324). The mapping itself in bigints, for systems
// whose libsecp256k1 lacks it, and the interface behind which either stands (crypto/native/ell-swift.ts). The network
// room through the interface.
import { bytesOfNumber, curveY, FIELD_P, inverse, numberOfBytes, reduce, squareRoot } from './secp-field.js';

/** Bytes of an encoded key. */
export const ELLSWIFT_BYTES = 64;

/** A secret and its public key, made for one connection. */
export interface EllSwiftKey {
  /** 32 bytes; its holder wipes it. */
  readonly secret: Uint8Array;
  /** 64 bytes. */
  readonly encoding: Uint8Array;
}

/** Key exchange on encoded keys. */
export interface EllSwift {
  /** What does the work, for the log. */
  readonly backend: string;
  /** A fresh key. */
  create(): EllSwiftKey;
  /**
   * The secret shared with the owner of another key (BIP-0324's v2_ecdh): a tagged hash of both encodings, the
   * initiator's first, and x. Any 64 bytes are a key.
   * @param theirs 64 bytes
   * @returns 32 bytes
   */
  sharedSecret(ours: EllSwiftKey, theirs: Uint8Array, initiating: boolean): Uint8Array;
}

/** A root of -3. */
const ROOT_MINUS_3 = squareRoot(FIELD_P - 3n) as bigint;
const HALF = inverse(2n);
/** (1 - root) / 2 and (1 + root) / 2. */
const FACTOR_MINUS = reduce((1n - ROOT_MINUS_3) * HALF);
const FACTOR_PLUS = reduce((1n + ROOT_MINUS_3) * HALF);

/** The x coordinate that u and t (below p) stand for. Every pair stands for one. */
export function xOfPair(u: bigint, t: bigint): bigint {
  // Zero and points at infinity have stand-ins.
  if (u === 0n) u = 1n;
  if (t === 0n) t = 1n;
  const g = u * u * u + 7n;
  if (reduce(g + t * t) === 0n) t = reduce(2n * t);
  // X and Y over one common denominator: one inverse does for X / Y and Y.
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

/** A t with which u stands for x, of the eight there may be; null when this one does not exist. @param which 0 to 7 */
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

/** The x coordinate of an encoded key. @param encoding 64 bytes, any @returns 32 bytes */
export function decodeEllSwift(encoding: Uint8Array): Uint8Array {
  const u = reduce(numberOfBytes(encoding));
  const t = reduce(numberOfBytes(encoding.subarray(32)));
  return bytesOfNumber(xOfPair(u, t));
}

/**
 * One of the many encodings of a key, each as likely as the next.
 * @param x the key's x coordinate, 32 bytes @param random that many unpredictable bytes @returns 64 bytes
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
