// Every row under a prefix, in portions: the next one is read while the last one is worked off, in slices.
import { Slicer } from '../../lib/slicer.js';
import type { Store } from '../../storage/store.js';

const PORTION = 2000;
/** Rows between two looks at the clock. */
const ROWS = 16;

/**
 * Visits rows in order of their keys. Keys and values are views that end with the visit.
 * @returns how many there were
 */
export async function scanRows(store: Store, prefix: number, visit: (key: Uint8Array, value: Uint8Array) => void): Promise<number> {
  const cursor = store.cursor({ gte: Uint8Array.of(prefix), lt: Uint8Array.of(prefix + 1) });
  const slicer = new Slicer();
  let count = 0;
  try {
    let reading = cursor.next(PORTION);
    for (;;) {
      const rows = await reading;
      if (rows.length === 0) return count;
      reading = cursor.next(PORTION);
      // When a visit throws, this promise is not awaited: its rejection must be handled all the same.
      reading.catch(() => {});
      for (const [key, value] of rows) {
        visit(key, value);
        if (++count % ROWS === 0 && slicer.due) await slicer.pause();
      }
    }
  } finally {
    await cursor.close();
  }
}
