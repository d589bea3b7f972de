// A merkle tree that is retained between templates. If leaves change from some index on, only the nodes above them are
// hashed again. The first leaf, the coinbase's, is zero: correct for witness roots (BIP-0141), and irrelevant for the
// branch from the coinbase to the root.
import type { Hashes } from '../crypto/crypto.js';

const HASH_BYTES = 32;

export class HashTree {
  readonly #hashes: Hashes;
  /** Levels from the leaves up. Each has space for a duplicate of its last hash. */
  readonly #levels: Uint8Array[] = [];
  /** Number of used levels. */
  #height = 0;

  constructor(hashes: Hashes) {
    this.#hashes = hashes;
  }

  /**
   * Changes the leaves.
   * @param count number of leaves including the coinbase's, at least 1
   * @param from first leaf that may differ; the ones before must exist already
   * @param leaf returns 32 bytes for a leaf from 1 on
   */
  update(count: number, from: number, leaf: (i: number) => Uint8Array): void {
    const leaves = this.#level(0, count);
    for (let i = Math.max(1, from); i < count; i++) leaves.set(leaf(i), i * HASH_BYTES);
    // Start no later than the last leaf: in a shorter list it is paired with another hash than before.
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

  /** Root of the tree; a copy of 32 bytes. */
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
