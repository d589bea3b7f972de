// Visits every coin of a pinned view in the order of the database, in slices, while the chain goes on. Callers: Chain, for scantxoutset.

import type { Coin } from '../consensus/coin.js';
import { Slicer } from '../lib/slicer.js';
import { decodeCoin } from '../storage/codec/coin.js';
import { outpointOfCoinKey } from '../storage/layout.js';
import type { StoreCursor } from '../storage/store.js';

/** Coins read at a time. */
const SLICE = 500;

/** Who looks at them. */
export interface CoinVisitor {
  /** @param outpoint 36 bytes, vout little-endian */
  visit(outpoint: Uint8Array, coin: Coin): void;
  /** Asked between slices: true ends the walk. */
  stopped(): boolean;
}

/** @param cursor closed here @returns whether all coins were visited */
export async function walkCoins(cursor: StoreCursor, visitor: CoinVisitor): Promise<boolean> {
  const slicer = new Slicer();
  try {
    for (let rows = await cursor.next(SLICE); rows.length > 0; rows = await cursor.next(SLICE)) {
      for (const [key, value] of rows) {
        visitor.visit(outpointOfCoinKey(key), decodeCoin(value));
        if (!slicer.due) continue;
        await slicer.pause();
        if (visitor.stopped()) return false;
      }
      if (visitor.stopped()) return false;
    }
    return true;
  } finally {
    await cursor.close();
  }
}
