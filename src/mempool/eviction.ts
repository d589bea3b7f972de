// Evicts from a full mempool, expires old transactions, and computes the rolling minimum fee rate after an eviction.
// Source: Core 0.21's Expire, TrimToSize and GetMinFee. No timer does this; eviction runs after acceptances and after
// reorganisations.

import { WITNESS_SCALE_FACTOR } from '../consensus/limits.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../log/logger.js';
import { feeRateOf } from '../policy/fee-rate.js';
import { chunksOfCluster, connected, type PoolChunk } from './feerate-diagram.js';
import type { MempoolOptions } from './options.js';
import { collectDescendants } from './relatives.js';
import type { TxPool } from './tx-pool.js';

// Finds the chunk that a full mempool evicts first: of all clusters the one that would be mined last. Its fee rate is
// no higher than that of any other set of transactions that can leave the cluster without breaking a dependency.

/** Largest cluster whose order is computed here. Larger ones would occupy the node thread for too long. */
const MOST_ROWS = 100;

/** Rows that are evicted together, with their figures. */
interface WorstChunk {
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
function withDescendants(pool: TxPool, row: number): WorstChunk {
  const { descendantFees, descendantSize } = pool.rows;
  const rows = new Set<number>();
  collectDescendants(pool.links, row, rows);
  return { rows, fees: descendantFees[row], size: descendantSize[row] };
}

/** Half-life of the rolling minimum in seconds. */
const HALF_LIFE = 12 * 60 * 60;
/** Shortest time between recomputations of the minimum, in seconds. */
const DECAY_STEP = 10;

export class Eviction {
  readonly #pool: TxPool;
  readonly #options: MempoolOptions;
  readonly #clock: Clock;
  /** Satoshis per 1,000 virtual bytes, with fraction. */
  #rollingMinimum = 0;
  #lastUpdate: number;
  #blockSinceBump = false;

  readonly #log: Logger;

  constructor(pool: TxPool, options: MempoolOptions, clock: Clock, log: Logger) {
    this.#pool = pool;
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.#lastUpdate = clock.nowSeconds();
  }

  /** Called after a block was connected: the minimum may decay from now on. */
  blockConnected(): void {
    this.#lastUpdate = this.#clock.nowSeconds();
    this.#blockSinceBump = true;
  }

  /**
   * Returns the lowest fee rate that a new transaction needs since the last eviction, in satoshis per 1,000 virtual
   * bytes. 0 if there was no eviction, or its effect has decayed.
   */
  minFeeRate(): number {
    if (!this.#blockSinceBump || this.#rollingMinimum === 0) return Math.round(this.#rollingMinimum);
    const incremental = this.#options.policy.incrementalFeeRate;
    const now = this.#clock.nowSeconds();
    if (now > this.#lastUpdate + DECAY_STEP) {
      const usage = this.#pool.usageBytes;
      const limit = this.#options.maxUsageBytes;
      const halfLife = usage < limit / 4 ? HALF_LIFE / 4 : usage < limit / 2 ? HALF_LIFE / 2 : HALF_LIFE;
      this.#rollingMinimum /= 2 ** ((now - this.#lastUpdate) / halfLife);
      this.#lastUpdate = now;
      if (this.#rollingMinimum < incremental / 2) {
        this.#rollingMinimum = 0;
        return 0;
      }
    }
    return Math.max(Math.round(this.#rollingMinimum), incremental);
  }

  /**
   * Removes expired transactions, then the worst ones until the mempool fits.
   * @returns number of removed entries
   */
  limit(): number {
    return this.expire() + this.trim();
  }

  /** @returns number of removed entries */
  expire(): number {
    const cutoff = this.#clock.nowSeconds() - this.#options.expirySeconds;
    // Usually descendants are not older than their parents, so each walk over descendants starts at a different expired
    // transaction.
    const start = this.#pool.size;
    const { rows, links } = this.#pool;
    for (let oldest = this.#pool.eviction.oldest; oldest !== undefined && rows.time[oldest] < cutoff; oldest = this.#pool.eviction.oldest) {
      const stage = new Set<number>();
      collectDescendants(links, oldest, stage);
      this.#pool.remove(stage, 'expiry');
    }
    return start - this.#pool.size;
  }

  /** @returns number of removed entries */
  trim(): number {
    const start = this.#pool.size;
    while (this.#pool.usageBytes > this.#options.maxUsageBytes) {
      const leaving = this.#leaving();
      if (leaving === undefined) break;
      const { rows, fees, size } = leaving;
      const removedRate = feeRateOf(fees, size) + this.#options.policy.incrementalFeeRate;
      if (removedRate > this.#rollingMinimum) {
        this.#rollingMinimum = removedRate;
        this.#blockSinceBump = false;
      }
      this.#pool.remove(rows, 'sizelimit');
    }
    const removedCount = start - this.#pool.size;
    if (removedCount > 0)
      this.#log.debug('mempool', `Removed ${removedCount} txn, rolling minimum fee bumped to ${Math.round(this.#rollingMinimum)} sat/kvB`);
    return removedCount;
  }

  /**
   * Returns the transactions that are evicted next: in Core 0.21's order the worst row with its descendants, otherwise
   * the chunk that would be mined last.
   */
  #leaving(): WorstChunk | undefined {
    if (this.#options.evictChunks) return worstChunk(this.#pool);
    const { worst } = this.#pool.eviction;
    return worst === undefined ? undefined : withDescendants(this.#pool, worst);
  }
}
