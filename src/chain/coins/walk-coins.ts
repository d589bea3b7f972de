// Walks over all coins of a cursor in database order, and selects those that have certain scripts.

import type { Coin } from '../../consensus/coin.js';
import { coinMayMatch } from '../../jobs/scan-coins.js';
import { ScriptMarks } from '../../jobs/script-marks.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { decodeCoin } from '../../storage/codec/coin.js';
import { outpointOfCoinKey } from '../../storage/layout.js';
import type { StoreCursor, StoreEntry } from '../../storage/store.js';

/** Number of coins read at a time. */
const SLICE = 500;

/** Receives the selected coins of a walk. */
export interface CoinVisitor {
  /** Scripts to select. */
  readonly scripts: Iterable<Uint8Array>;
  readonly scriptCount: number;
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

/**
 * Calls the visitor for the coins of a cursor that have one of its scripts.
 * @param cursor closed by this function
 * @returns whether all coins were visited
 */
export async function walkCoins(cursor: StoreCursor, visitor: CoinVisitor): Promise<boolean> {
  const marks = ScriptMarks.create(visitor.scriptCount, Math.floor(Math.random() * 2 ** 32));
  for (const script of visitor.scripts) marks.addScript(script);
  const slice = new TimeSlice();
  try {
    for (;;) {
      if (visitor.stopped()) return false;
      const rows = await cursor.next(SLICE);
      if (rows.length === 0) return true;
      for (const [key, value] of rows) if (coinMayMatch(marks, value)) visitor.visit(outpointOfCoinKey(key), decodeCoin(value));
      const [lastKey] = rows[rows.length - 1] as StoreEntry;
      visitor.passed(rows.length, outpointOfCoinKey(lastKey));
      if (slice.over) await slice.next();
    }
  } finally {
    await cursor.close();
  }
}
