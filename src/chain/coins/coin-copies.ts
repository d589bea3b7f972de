// Copies encoded coins out of the cache, so that later changes of the cache's entries do not affect the copies.

import { copyBytes } from '../../consensus/bytes/writer.js';
import type { Coin } from '../../consensus/coin.js';
import { storedCoin } from '../../storage/codec/coin.js';

/** Size of one memory block in bytes, enough for about 2,000 coins. */
const COPIES_BYTES = 65_536;

/** Creates a coin from its encoding in bytes [start, end). Throws StoreError STORE_CORRUPTION. */
export type ReadCoin = (bytes: Uint8Array, start: number, end: number) => Coin;

/**
 * Copies coins into memory blocks that many coins share. A separate array per coin would cost more than the coin's
 * bytes.
 */
export class CoinCopies {
  #memory = new Uint8Array(0);
  #used = 0;

  /** Copies the encoding and returns a StoredCoin over the copy, which is never overwritten. */
  readonly read: ReadCoin = (bytes, start, end) => {
    const length = end - start;
    if (length > this.#memory.length - this.#used) {
      this.#memory = new Uint8Array(Math.max(COPIES_BYTES, length));
      this.#used = 0;
    }
    const at = this.#used;
    this.#used += length;
    copyBytes(bytes, start, this.#memory, at, length);
    return storedCoin(this.#memory, at, at + length);
  };
}
