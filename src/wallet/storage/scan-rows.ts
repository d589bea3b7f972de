// Every row under a prefix, in portions: the next one is read while the last one is worked off, and the event loop turns in between.
import type { Store } from '../../storage/store.js';

/** Rows of a portion: a few milliseconds of work. */
const PORTION = 2000;

/** Visits rows in order of their keys. Keys and values are views that end with the visit. @returns how many there were */
export async function scanRows(store: Store, prefix: number, visit: (key: Uint8Array, value: Uint8Array) => void): Promise<number> {
  const cursor = store.cursor({ gte: Uint8Array.of(prefix), lt: Uint8Array.of(prefix + 1) });
  let count = 0;
  try {
    let reading = cursor.next(PORTION);
    for (;;) {
      const rows = await reading;
      if (rows.length === 0) return count;
      reading = cursor.next(PORTION);
      // Should a visit throw, nobody waits for this one any more.
      reading.catch(() => {});
      for (const [key, value] of rows) visit(key, value);
      count += rows.length;
    }
  } finally {
    await cursor.close();
  }
}
