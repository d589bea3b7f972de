// Iterates over the rows of a prefix in portions. Processes each portion in time slices while the next one is being
// read.
import { TimeSlice } from '../../lib/time-slice.js';
import type { Store } from '../../storage/store.js';

const PORTION = 2000;
/** Number of rows between two checks of the clock. */
const ROWS = 16;

/**
 * Visits rows in order of their keys. Keys and values are views that are valid during the visit only.
 * @returns the number of rows
 */
export async function scanRows(store: Store, prefix: number, visit: (key: Uint8Array, value: Uint8Array) => void): Promise<number> {
  const cursor = store.cursor({ gte: Uint8Array.of(prefix), lt: Uint8Array.of(prefix + 1) });
  const slice = new TimeSlice();
  let count = 0;
  try {
    let reading = cursor.next(PORTION);
    for (;;) {
      const rows = await reading;
      if (rows.length === 0) return count;
      reading = cursor.next(PORTION);
      // If `visit` throws, no code awaits this promise, so handle the rejection here.
      reading.catch(() => {});
      for (const [key, value] of rows) {
        visit(key, value);
        if (++count % ROWS === 0 && slice.over) await slice.next();
      }
    }
  } finally {
    await cursor.close();
  }
}
