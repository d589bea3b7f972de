// Remembers at least the last n inserted hashes, with a small share of false positives, in fixed memory (Core's
// CRollingBloomFilter). Cells of two bits hold the generation that set them. When a third generation begins, the oldest
// one is cleared.
import crypto from 'node:crypto';

export class RollingBloom {
  readonly #hashCount: number;
  readonly #perGeneration: number;
  readonly #cells: number;
  /** One word of low bits and one of high bits for each 32 cells. Allocated with the first entry, because most peers never need it. */
  #words: Uint32Array | null = null;
  readonly #salt = new Uint32Array(2);
  #generation = 1;
  #entries = 0;

  /** @param elements number that is surely remembered @param falseShare share of false positives */
  constructor(elements: number, falseShare: number) {
    const logShare = Math.log(falseShare);
    this.#hashCount = Math.max(1, Math.min(Math.round(logShare / Math.log(0.5)), 50));
    this.#perGeneration = Math.ceil(elements / 2);
    const most = this.#perGeneration * 3;
    this.#cells = Math.ceil((-this.#hashCount * most) / Math.log(1 - Math.exp(logShare / this.#hashCount)));
    crypto.getRandomValues(this.#salt);
  }

  /** @param hash at least 32 bytes */
  add(hash: Uint8Array): void {
    if (this.#entries === this.#perGeneration) this.#nextGeneration();
    this.#entries++;
    const low = (this.#generation & 1) !== 0;
    const high = (this.#generation & 2) !== 0;
    this.#words ??= new Uint32Array(Math.ceil(this.#cells / 32) * 2);
    const words = this.#words;
    const share = this.#cells / 2 ** 32;
    let { at, step } = this.#start(hash);
    for (let i = 0; i < this.#hashCount; i++) {
      const cell = Math.floor(at * share);
      const word = (cell >>> 5) * 2;
      const bit = 1 << (cell & 31);
      words[word] = low ? (words[word] as number) | bit : (words[word] as number) & ~bit;
      words[word + 1] = high ? (words[word + 1] as number) | bit : (words[word + 1] as number) & ~bit;
      at = (at + step) >>> 0;
      step = (step + i) >>> 0;
    }
  }

  has(hash: Uint8Array): boolean {
    const words = this.#words;
    if (words === null) return false;
    const share = this.#cells / 2 ** 32;
    let { at, step } = this.#start(hash);
    for (let i = 0; i < this.#hashCount; i++) {
      const cell = Math.floor(at * share);
      const word = (cell >>> 5) * 2;
      if ((((words[word] as number) | (words[word + 1] as number)) & (1 << (cell & 31))) === 0) return false;
      at = (at + step) >>> 0;
      step = (step + i) >>> 0;
    }
    return true;
  }

  /** Removes everything. */
  reset(): void {
    // The filter is empty already.
    if (this.#entries === 0 && this.#generation === 1) return;
    crypto.getRandomValues(this.#salt);
    this.#words?.fill(0);
    this.#generation = 1;
    this.#entries = 0;
  }

  #nextGeneration(): void {
    this.#entries = 0;
    this.#generation = this.#generation === 3 ? 1 : this.#generation + 1;
    const low = (this.#generation & 1) !== 0 ? 0xffffffff : 0;
    const high = (this.#generation & 2) !== 0 ? 0xffffffff : 0;
    const words = this.#words as Uint32Array;
    for (let i = 0; i < words.length; i += 2) {
      // Clear the cells whose two bits are the number of the generation that begins.
      const keptBits = ((words[i] as number) ^ low) | ((words[i + 1] as number) ^ high);
      words[i] = (words[i] as number) & keptBits;
      words[i + 1] = (words[i + 1] as number) & keptBits;
    }
  }

  /**
   * Returns start and step of the walk over the cells, from a salted mix of all words, so that senders of hashes cannot
   * choose cells.
   */
  #start(hash: Uint8Array): { at: number; step: number } {
    let a = this.#salt[0] as number;
    let b = this.#salt[1] as number;
    for (let i = 0; i < 32; i += 4) {
      const word = (hash[i] as number) | ((hash[i + 1] as number) << 8) | ((hash[i + 2] as number) << 16) | ((hash[i + 3] as number) << 24);
      a = Math.imul(a ^ word, 0x85ebca6b);
      a ^= a >>> 13;
      b = Math.imul(b + word, 0xc2b2ae35) ^ a;
      b ^= b >>> 16;
    }
    a = Math.imul(a ^ (b >>> 15), 0x2c1b3c6d);
    b = Math.imul(b ^ (a >>> 12), 0x297a2d39);
    return { at: (a ^ (a >>> 16)) >>> 0, step: ((b ^ (b >>> 15)) | 1) >>> 0 };
  }
}
