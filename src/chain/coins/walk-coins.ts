// Walks over all coins of a cursor in database order, while the chain may change. Other threads select the coins that
// have certain scripts, and a visitor receives these coins.

import type { Coin } from '../../consensus/coin.js';
import { Slicer } from '../../lib/slicer.js';
import { type CoinScanner, markScripts } from '../../parallel/coin-scanner.js';
import { decodeCoin } from '../../storage/codec/coin.js';
import { outpointOfCoinKey } from '../../storage/layout.js';
import type { StoreCursor, StoreEntry } from '../../storage/store.js';

/** Number of coins read at a time. */
const SLICE = 500;

/** Receives the selected coins of a walk. */
export interface CoinVisitor {
  /** Scripts to select. */
  readonly scripts: readonly Uint8Array[];
  /**
   * Called for each coin with one of the scripts. Rarely, it is also called for a coin with another script.
   * @param outpoint 36 bytes, vout little-endian
   */
  visit(outpoint: Uint8Array, coin: Coin): void;
  /** Called after each slice with its number of coins and its last outpoint. */
  passed(coins: number, outpoint: Uint8Array): void;
  /** Checked between slices. Return true to end the walk. */
  stopped(): boolean;
}

interface Slice {
  readonly rows: readonly StoreEntry[];
  readonly hits: Promise<Uint32Array>;
}

/**
 * Calls the visitor for the coins of a cursor that have one of its scripts.
 * @param cursor closed by this function
 * @returns whether all coins were visited
 */
export async function walkCoins(cursor: StoreCursor, visitor: CoinVisitor, scanner: CoinScanner): Promise<boolean> {
  const marks = markScripts(visitor.scripts);
  const slicer = new Slicer();
  const pending: Slice[] = [];
  let more = true;
  try {
    for (;;) {
      while (more && pending.length < scanner.depth) {
        const rows = await cursor.next(SLICE);
        more = rows.length > 0;
        if (!more) break;
        const hits = scanner.scan(
          rows.map(([, value]) => value),
          marks,
        );
        // The await below reports a failure of `hits`. If the walk ends early, it is not reached, so handle the
        // rejection here.
        hits.catch(() => {});
        pending.push({ rows, hits });
        if (slicer.due) await slicer.pause();
        if (visitor.stopped()) return false;
      }
      const slice = pending.shift();
      if (slice === undefined) return true;
      for (const i of await slice.hits) {
        const [key, value] = slice.rows[i] as StoreEntry;
        visitor.visit(outpointOfCoinKey(key), decodeCoin(value));
      }
      const [lastKey] = slice.rows[slice.rows.length - 1] as StoreEntry;
      visitor.passed(slice.rows.length, outpointOfCoinKey(lastKey));
      if (visitor.stopped()) return false;
    }
  } finally {
    await cursor.close();
  }
}
