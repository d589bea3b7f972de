// Removes all rows of a range in bounded batches. Callers: an index that starts over, -reindex-chainstate.

import type { PrefixRange } from './layout.js';
import type { Store } from './store.js';

/** Rows removed in one batch. */
const WIPE_ROWS = 5_000;

/** @param onRows told how many rows are gone so far, after each batch */
export async function wipeRange(store: Store, range: PrefixRange, onRows?: (rows: number) => void): Promise<void> {
  const cursor = store.cursor(range);
  let gone = 0;
  try {
    for (let rows = await cursor.next(WIPE_ROWS); rows.length > 0; rows = await cursor.next(WIPE_ROWS)) {
      await store.batch(rows.map(([key]) => ({ type: 'del', key })));
      gone += rows.length;
      onRows?.(gone);
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    await cursor.close();
  }
}
