// SipHash-2-4 (Aumasson and Bernstein), a fast keyed hash: for tables whose keys come from untrusted peers, for short
// ids of BIP-0152 and for filters of BIP-0158. 64-bit words are pairs of 32-bit halves, because bigints would be fifty
// times slower.

/** 128-bit key as four 32-bit words, least significant first. */
export interface SipKey {
  readonly k0Low: number;
  readonly k0High: number;
  readonly k1Low: number;
  readonly k1High: number;
}

/** Decodes a key from 16 bytes, both halves little-endian. */
export function sipKey(bytes: Uint8Array): SipKey {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  return {
    k0Low: view.getUint32(0, true),
    k0High: view.getUint32(4, true),
    k1Low: view.getUint32(8, true),
    k1High: view.getUint32(12, true),
  };
}

/** State of SipHash: the 64-bit words v0 to v3, each with its low half before its high half. */
type State = Uint32Array;

function add(v: State, to: number, from: number): void {
  const low = v[to] + v[from];
  v[to] = low;
  v[to + 1] = v[to + 1] + v[from + 1] + (low > 0xffffffff ? 1 : 0);
}

/** Rotates v[at] left by less than 32 bits, then applies xor with v[other]. */
function rotateXor(v: State, at: number, bits: number, other: number): void {
  const low = v[at];
  const high = v[at + 1];
  v[at] = ((low << bits) | (high >>> (32 - bits))) ^ v[other];
  v[at + 1] = ((high << bits) | (low >>> (32 - bits))) ^ v[other + 1];
}

/** Rotates by 32 bits, which swaps the halves. */
function swapHalves(v: State, at: number): void {
  const low = v[at];
  v[at] = v[at + 1];
  v[at + 1] = low;
}

function rounds(v: State, count: number): void {
  for (let i = 0; i < count; i++) {
    add(v, 0, 2);
    rotateXor(v, 2, 13, 0);
    swapHalves(v, 0);
    add(v, 4, 6);
    rotateXor(v, 6, 16, 4);
    add(v, 0, 6);
    rotateXor(v, 6, 21, 0);
    add(v, 4, 2);
    rotateXor(v, 2, 17, 4);
    swapHalves(v, 4);
  }
}

function absorb(v: State, low: number, high: number): void {
  v[6] ^= low;
  v[7] ^= high;
  rounds(v, 2);
  v[0] ^= low;
  v[1] ^= high;
}

/** Returns the 64-bit hash as [low, high], both unsigned 32-bit. */
export function sipHash24(key: SipKey, data: Uint8Array): [number, number] {
  const v: State = Uint32Array.of(
    key.k0Low ^ 0x70736575,
    key.k0High ^ 0x736f6d65, // "somepseu"
    key.k1Low ^ 0x6e646f6d,
    key.k1High ^ 0x646f7261, // "dorandom"
    key.k0Low ^ 0x6e657261,
    key.k0High ^ 0x6c796765, // "lygenera"
    key.k1Low ^ 0x79746573,
    key.k1High ^ 0x74656462, // "tedbytes"
  );
  const whole = data.length & ~7;
  for (let at = 0; at < whole; at += 8) {
    const low = data[at] | (data[at + 1] << 8) | (data[at + 2] << 16) | (data[at + 3] << 24);
    const high = data[at + 4] | (data[at + 5] << 8) | (data[at + 6] << 16) | (data[at + 7] << 24);
    absorb(v, low, high);
  }
  // Last word: the remaining bytes, and the length in the top byte.
  let low = 0;
  let high = (data.length & 0xff) << 24;
  for (let at = whole; at < data.length; at++) {
    const shift = (at - whole) * 8;
    if (shift < 32) low |= data[at] << shift;
    else high |= data[at] << (shift - 32);
  }
  absorb(v, low, high);
  v[4] ^= 0xff;
  rounds(v, 4);
  return [(v[0] ^ v[2] ^ v[4] ^ v[6]) >>> 0, (v[1] ^ v[3] ^ v[5] ^ v[7]) >>> 0];
}
