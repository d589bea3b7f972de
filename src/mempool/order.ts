// The orders of getrawmempool: that of Core 0.21, and block order.
import { adjustedWeightOf, compareFeeFractions } from '../selection/index.js';
import { chunksOfCluster, type PoolChunk } from './feerate-diagram.js';
import type { PoolTables } from './pool-tables.js';

/** Finds the chunks of rows. Computes each cluster once, so the tables must not change meanwhile. */
export class ChunkFinder {
  readonly #pool: PoolTables;
  /** Chunks of rows with relatives. */
  readonly #chunks = new Map<number, PoolChunk>();

  constructor(pool: PoolTables) {
    this.#pool = pool;
  }

  /** Returns the chunk with which a row is mined. */
  chunkOf(row: number): PoolChunk {
    const { rows, links } = this.#pool;
    if (!links.hasParents(row) && !links.hasChildren(row)) {
      const weight = adjustedWeightOf(rows.size[row], rows.weight[row]);
      return { fee: rows.modifiedFee[row], weight, rows: [row], alike: weight };
    }
    if (!this.#chunks.has(row)) {
      for (const chunk of chunksOfCluster(this.#pool, row)) for (const member of chunk.rows) this.#chunks.set(member, chunk);
    }
    return this.#chunks.get(row) as PoolChunk;
  }
}

/** Returns all rows in the mempool in Core 0.21's order: fewer ancestors first, then the higher fee rate, then the larger txid. */
export function rowsByDepth({ rows, records }: PoolTables): Int32Array {
  const { ancestorCount, fee, size } = rows;
  return rows.here().sort((a, b) => {
    if (ancestorCount[a] !== ancestorCount[b]) return ancestorCount[a] - ancestorCount[b];
    const left = fee[a] * size[b];
    const right = fee[b] * size[a];
    return left === right ? records.compareIds(b, a) : right - left;
  });
}

/**
 * Returns the chunks of the whole mempool in the order of Core's master (CompareMainTransactions), by falling fee rate.
 * If rates are equal, the chunk with the smaller `alike` (see PoolChunk) comes first, then the chunk whose highest txid
 * is lower.
 */
export function sortedChunks(pool: PoolTables, finder = new ChunkFinder(pool)): PoolChunk[] {
  const chunks: PoolChunk[] = [];
  for (const row of pool.rows.here()) {
    const chunk = finder.chunkOf(row);
    if (chunk.rows[0] === row) chunks.push(chunk);
  }
  const { compareIds } = pool.records;
  const highest = ({ rows }: PoolChunk): number => rows.reduce((most, row) => (compareIds(row, most) > 0 ? row : most));
  return chunks.sort(
    (a, b) => compareFeeFractions(b.fee, b.weight, a.fee, a.weight) || a.alike - b.alike || compareIds(highest(a), highest(b)),
  );
}

/** Returns all rows in getrawmempool's order. @param byChunks use block order */
export function sortedRows(pool: PoolTables, byChunks: boolean, finder?: ChunkFinder): Int32Array {
  return byChunks ? Int32Array.from(sortedChunks(pool, finder).flatMap(({ rows }) => rows)) : rowsByDepth(pool);
}
