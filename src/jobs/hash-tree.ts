// A merkle tree that is kept between templates: when leaves change from some place on, only what stands above them is
// hashed again. The first leaf is the coinbase's and zero: right for witness roots (BIP-0141), and of no matter for the
// branch that leads from the coinbase to the root. Used by the assembler.
import type { Hashes } from '../crypto/crypto.js';

const HASH_BYTES = 32;

export class HashTree {
  readonly #hashes: Hashes;
  /** Levels from the leaves up; each has room for a repeated last hash. */
  readonly #levels: Uint8Array[] = [];
  /** Levels in use. */
  #height = 0;

  constructor(hashes: Hashes) {
    this.#hashes = hashes;
  }

  /**
   * Makes the tree one of so many leaves.
   * @param count leaves, the coinbase's included, at least 1
   * @param from first leaf that may differ from before; earlier ones must have been there
   * @param leaf 32 bytes for a leaf from 1 on
   */
  update(count: number, from: number, leaf: (i: number) => Uint8Array): void {
    const leaves = this.#level(0, count);
    for (let i = Math.max(1, from); i < count; i++) leaves.set(leaf(i), i * HASH_BYTES);
    // A list that got shorter changes what its last leaf is paired with.
    let start = Math.min(from, count - 1);
    let size = count;
    let height = 0;
    while (size > 1) {
      const below = this.#levels[height];
      if (size % 2 === 1) below.copyWithin(size * HASH_BYTES, (size - 1) * HASH_BYTES, size * HASH_BYTES);
      const above = this.#level(height + 1, (size + 1) >> 1);
      start >>= 1;
      size = (size + 1) >> 1;
      this.#hashes.sha256dPairs(below, 2 * start * HASH_BYTES, size - start, above, start * HASH_BYTES);
      height++;
    }
    this.#height = height;
  }

  /** Of all leaves; 32 bytes of its own. */
  get root(): Uint8Array {
    return this.#levels[this.#height].slice(0, HASH_BYTES);
  }

  /** Siblings of the first leaf's path, lowest first. */
  get firstBranch(): Uint8Array[] {
    const branch: Uint8Array[] = [];
    for (let i = 0; i < this.#height; i++) branch.push(this.#levels[i].slice(HASH_BYTES, 2 * HASH_BYTES));
    return branch;
  }

  #level(at: number, count: number): Uint8Array {
    const needed = (count + 1) * HASH_BYTES;
    const level = this.#levels[at] ?? new Uint8Array(0);
    if (level.length >= needed) return level;
    const grown = new Uint8Array(Math.ceil(needed * 1.25));
    grown.set(level);
    this.#levels[at] = grown;
    return grown;
  }
}
