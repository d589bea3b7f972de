// A small source of random numbers with a seed, and the byte mutations of the fuzz tests. The same seed gives the same
// cases on every machine.

/** Numbers from a 32-bit seed (mulberry32). */
export class Random {
  constructor(private state: number) {}

  /** Returns a number from 0 to limit - 1; `limit` is at most 2^32. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * limit);
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }
}

// Byte values at which the encoding of a length or count changes, or a limit begins.
const HOT_BYTES = [0x00, 0x01, 0x02, 0x4b, 0x4c, 0x4d, 0x4e, 0x7f, 0x80, 0xfc, 0xfd, 0xfe, 0xff];

/**
 * Returns a copy of the bytes with one to four random changes: flipped bits, special values, cuts, repetitions,
 * insertions.
 */
export function mutate(bytes: Uint8Array, random: Random): Uint8Array {
  let out = Array.from(bytes);
  for (let n = 1 + random.below(4); n > 0 && out.length > 0; n--) {
    const at = random.below(out.length);
    const length = 1 + random.below(Math.min(16, out.length - at));
    switch (random.below(6)) {
      case 0:
        out[at] ^= 1 << random.below(8);
        break;
      case 1:
        out[at] = random.pick(HOT_BYTES);
        break;
      case 2:
        out = out.slice(0, at);
        break;
      case 3:
        out.splice(at, length);
        break;
      case 4:
        out.splice(at, 0, ...out.slice(at, at + length));
        break;
      default:
        out.splice(at, 0, ...random.bytes(length));
    }
  }
  return Uint8Array.from(out);
}
