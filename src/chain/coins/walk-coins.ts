// Goes over every coin of a pinned view in the order of the database while the chain goes on; coins with certain
// scripts are picked on other threads and shown to a visitor.

import type { Coin } from '../../consensus/coin.js';
import { Slicer } from '../../lib/slicer.js';
import { type CoinScanner, markScripts } from '../../parallel/coin-scanner.js';
import { decodeCoin } from '../../storage/codec/coin.js';
import { outpointOfCoinKey } from '../../storage/layout.js';
import type { StoreCursor, StoreEntry } from '../../storage/store.js';

/** Coins read at a time. */
const SLICE = 500;

/** Who looks at them. */
export interface CoinVisitor {
  /** Scripts looked for. */
  readonly scripts: readonly Uint8Array[];
  /** A coin with one of these scripts, or, rarely, another. @param outpoint 36 bytes, vout little-endian */
  visit(outpoint: Uint8Array, coin: Coin): void;
  /** So many more coins were gone over, up to this one. */
  passed(coins: number, outpoint: Uint8Array): void;
  /** Asked between slices: true ends the walk. */
  stopped(): boolean;
}

interface Slice {
  readonly rows: readonly StoreEntry[];
  readonly hits: Promise<Uint32Array>;
}

/** @param cursor closed here @returns whether all coins were gone over */
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
        // The await below reports a failure; when the walk ends early, there is none, and a rejection must be handled.
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
