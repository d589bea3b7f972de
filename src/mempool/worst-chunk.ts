// What a full pool gives up first, by the order in which blocks would take it: of all clusters the chunk that would be
// mined last. It pays no more for its room than any other set of its cluster that can leave without breaking a
// dependency. Used by eviction.ts.
import { WITNESS_SCALE_FACTOR } from '../consensus/limits.js';
import { chunksOfCluster, connected, type PoolChunk } from './feerate-diagram.js';
import { collectDescendants } from './relatives.js';
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

/** Chunks of a row's cluster, best first; null when it is too large to be ordered here. */
function chunksAround(pool: TxPool, row: number): PoolChunk[] | null {
  let count = 0;
  for (const _ of connected(pool, row, () => true)) if (++count > MOST_ROWS) return null;
  return chunksOfCluster(pool, row);
}

/**
 * The worst chunk of a pool whose rows are ranked at most as high as their chunks. The cluster of the lowest is ordered,
 * which may raise it, until the lowest rank is that of a chunk: a cluster that nothing came to or left since is not the
 * lowest again. Undefined in an empty pool.
 */
export function worstChunk(pool: TxPool): WorstChunk | undefined {
  for (let row = pool.worst; row !== undefined; row = pool.worst) {
    const chunks = chunksAround(pool, row);
    if (chunks === null) {
      // It counts with what depends on it, if that pays more.
      const all = withDescendants(pool, row);
      const { modifiedFee, size } = pool.rows;
      if (all.fees * size[row] > modifiedFee[row] * all.size) pool.setRank(row, all.fees, WITNESS_SCALE_FACTOR * all.size);
      if (pool.worst === row) return all;
      continue;
    }
    const members = new Set<number>();
    for (const { fee, weight, rows } of chunks) {
      for (const member of rows) {
        members.add(member);
        pool.setRank(member, fee, weight);
      }
    }
    const last = chunks.at(-1) as PoolChunk;
    // Rounded up once, as Core does: virtual bytes of each together may be more.
    if (members.has(pool.worst as number))
      return { rows: new Set(last.rows), fees: last.fee, size: Math.ceil(last.weight / WITNESS_SCALE_FACTOR) };
  }
  return undefined;
}

/** A row with all that depends on it. */
export function withDescendants(pool: TxPool, row: number): WorstChunk {
  const { descendantFees, descendantSize } = pool.rows;
  const rows = new Set<number>();
  collectDescendants(pool.links, row, rows);
  return { rows, fees: descendantFees[row], size: descendantSize[row] };
}
