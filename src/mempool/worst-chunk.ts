// Finds the chunk that a full mempool evicts first: of all clusters the one that would be mined last. Its fee rate is
// no higher than that of any other set of transactions that can leave the cluster without breaking a dependency.
import { WITNESS_SCALE_FACTOR } from '../consensus/limits.js';
import { chunksOfCluster, connected, type PoolChunk } from './feerate-diagram.js';
import { collectDescendants } from './relatives.js';
import type { TxPool } from './tx-pool.js';

/** Largest cluster whose order is computed here. Larger ones would occupy the node thread for too long. */
const MOST_ROWS = 100;

/** Rows that are evicted together, with their figures. */
export interface WorstChunk {
  readonly rows: Set<number>;
  /** Modified fees. */
  readonly fees: number;
  /** Sigop-adjusted virtual bytes. */
  readonly size: number;
}

/** Returns the chunks of a row's cluster, best first; null if the cluster has more than MOST_ROWS transactions. */
function chunksAround(pool: TxPool, row: number): PoolChunk[] | null {
  let count = 0;
  for (const _ of connected(pool, row, () => true)) if (++count > MOST_ROWS) return null;
  return chunksOfCluster(pool, row);
}

/**
 * Returns the worst chunk; undefined if the mempool is empty. Each row's rank must be at most the fee rate of its
 * chunk. Repeatedly computes the chunks of the row with the lowest rank and sets the ranks of its cluster, until the
 * lowest rank is that of a computed chunk. The ranks remain, so a cluster is computed again only after it has changed.
 */
export function worstChunk(pool: TxPool): WorstChunk | undefined {
  for (let row = pool.eviction.worst; row !== undefined; row = pool.eviction.worst) {
    const chunks = chunksAround(pool, row);
    if (chunks === null) {
      // The cluster is too large: rank the row by the fee rate with its descendants if that is higher than its own.
      const all = withDescendants(pool, row);
      const { modifiedFee, size } = pool.rows;
      if (all.fees * size[row] > modifiedFee[row] * all.size) pool.eviction.setRank(row, all.fees, WITNESS_SCALE_FACTOR * all.size);
      if (pool.eviction.worst === row) return all;
      continue;
    }
    const members = new Set<number>();
    for (const { fee, weight, rows } of chunks) {
      for (const member of rows) {
        members.add(member);
        pool.eviction.setRank(member, fee, weight);
      }
    }
    const last = chunks.at(-1) as PoolChunk;
    // Round the sum up once, as Core does. The sum of rounded sizes may be larger.
    if (members.has(pool.eviction.worst as number))
      return { rows: new Set(last.rows), fees: last.fee, size: Math.ceil(last.weight / WITNESS_SCALE_FACTOR) };
  }
  return undefined;
}

/** Returns a row with all its descendants. */
export function withDescendants(pool: TxPool, row: number): WorstChunk {
  const { descendantFees, descendantSize } = pool.rows;
  const rows = new Set<number>();
  collectDescendants(pool.links, row, rows);
  return { rows, fees: descendantFees[row], size: descendantSize[row] };
}
