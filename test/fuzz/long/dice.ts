// The dice of the long fuzz suite: random numbers from one 32-bit seed, and changes of bytes and texts that are quick
// enough for ten million cases. A case's seed is made of the suite's seed, the round, the target and the place in the
// round, so that each case can be thrown again alone.

/** Values at which lengths and counts change from one encoding or limit to another. */
const HOT_BYTES = Uint8Array.of(0x00, 0x01, 0x02, 0x10, 0x20, 0x4b, 0x4c, 0x4d, 0x4e, 0x50, 0x7f, 0x80, 0xc0, 0xfc, 0xfd, 0xfe, 0xff);

/** Largest size of a mutated input; larger ones only cost time. */
const MOST_BYTES = 4096;
const MOST_INSERTED = 64;

/** Mixes several numbers into one. */
export function mixSeed(...parts: readonly number[]): number {
  let mixed = 0x9e3779b9;
  for (const part of parts) {
    mixed = Math.imul(mixed ^ (part | 0), 0x85ebca6b);
    mixed ^= mixed >>> 13;
    mixed = Math.imul(mixed, 0xc2b2ae35);
    mixed ^= mixed >>> 16;
  }
  return mixed | 0;
}

/** Random choices (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** 32 random bits, unsigned. */
  bits(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** 0 <= n < limit, limit up to 2^32. */
  below(limit: number): number {
    return Math.floor((this.bits() / 0x1_0000_0000) * limit);
  }

  /** Returns true once in `n` times on average. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i += 4) {
      const bits = this.bits();
      bytes[i] = bits;
      if (i + 1 < length) bytes[i + 1] = bits >>> 8;
      if (i + 2 < length) bytes[i + 2] = bits >>> 16;
      if (i + 3 < length) bytes[i + 3] = bits >>> 24;
    }
    return bytes;
  }

  /**
   * Returns a copy with one to four changes: flipped bits, special values, cuts, removals, repetitions, insertions,
   * words of a dictionary.
   */
  mutate(input: Uint8Array, words: readonly Uint8Array[] = []): Uint8Array {
    let size = Math.min(input.length, MOST_BYTES);
    let out = new Uint8Array(size + 5 * MOST_INSERTED);
    out.set(input.subarray(0, size));
    const room = (more: number): void => {
      if (size + more <= out.length) return;
      const wider = new Uint8Array(size + more + 256);
      wider.set(out.subarray(0, size));
      out = wider;
    };
    const insert = (at: number, bytes: Uint8Array): void => {
      room(bytes.length);
      out.copyWithin(at + bytes.length, at, size);
      out.set(bytes, at);
      size += bytes.length;
    };
    for (let n = 1 + this.below(4); n > 0; n--) {
      const at = this.below(size + 1);
      const length = Math.min(1 + this.below(16), size - at);
      switch (this.below(words.length > 0 ? 9 : 7)) {
        case 0:
          if (at < size) out[at] ^= 1 << this.below(8);
          break;
        case 1:
          if (at < size) out[at] = HOT_BYTES[this.below(HOT_BYTES.length)];
          break;
        case 2:
          if (this.oneIn(3)) size = at;
          break;
        case 3:
          out.copyWithin(at, at + length, size);
          size -= length;
          break;
        case 4:
          insert(at, out.slice(at, at + length));
          break;
        case 5:
          insert(at, this.bytes(1 + this.below(8)));
          break;
        case 6:
          if (at < size) out[at] = this.bits();
          break;
        default:
          insert(at, this.pick(words).subarray(0, MOST_INSERTED));
      }
    }
    return out.slice(0, size);
  }
}

/** A dictionary of texts for Dice.mutate. */
export const wordsOf = (...texts: readonly string[]): Uint8Array[] => texts.map((text) => new Uint8Array(Buffer.from(text)));

/** The bytes of a text. */
export const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

/**
 * Returns the text of an input. Bytes that are not UTF-8 become replacement characters, as wherever a program accepts
 * text.
 */
export const textOf = (input: Uint8Array): string => Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString();
