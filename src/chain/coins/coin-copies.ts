// Coins that leave the cache as they are stored: copied, so that whatever becomes of their entries does not matter.

import { copyBytes } from '../../consensus/bytes/writer.js';
import type { Coin } from '../../consensus/coin.js';
import { storedCoin } from '../../storage/codec/coin.js';

/** Memory for some two thousand coins, bytes. */
const COPIES_BYTES = 65_536;

/** Makes a coin of what is stored of it in bytes [start, end). Throws StoreError STORE_CORRUPTION. */
export type ReadCoin = (bytes: Uint8Array, start: number, end: number) => Coin;

/** Copies of coins one behind the other: memory of its own for each costs more than its bytes. */
export class CoinCopies {
  #memory = new Uint8Array(0);
  #used = 0;

  /** See StoredCoin; its bytes are not written again. */
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
