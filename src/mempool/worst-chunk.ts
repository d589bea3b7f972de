// What a full pool gives up first, by the order in which blocks would take it: of everything that hangs together with a
// row the chunk that would be mined last. It pays no more for its room than any other set of that cluster that can
// leave without breaking a dependency. Used by eviction.ts.
import { chunksOfCluster, connected } from './feerate-diagram.js';
import type { TxPool } from './tx-pool.js';

/** Beyond so many the cluster is not looked at: it is on the node thread. */
const MOST_ROWS = 100;

/** Rows that leave together, and what they pay. */
export interface WorstChunk {
  readonly rows: Set<number>;
  /** Modified fees. */
  readonly fees: number;
  /** Sigop-adjusted virtual bytes. */
  readonly size: number;
}

/** @returns null when the cluster is too large to be ordered here */
export function worstChunk(pool: TxPool, row: number): WorstChunk | null {
  let count = 0;
  for (const _ of connected(pool, row, () => true)) if (++count > MOST_ROWS) return null;
  const last = chunksOfCluster(pool, row).at(-1);
  // Rounded up once, as Core does: virtual bytes of each together may be more.
  return last === undefined ? null : { rows: new Set(last.rows), fees: last.fee, size: Math.ceil(last.weight / 4) };
}
