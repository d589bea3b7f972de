// Evicts from a full mempool, expires old transactions, and computes the rolling minimum fee rate after an eviction.
// Source: Core 0.21's Expire, TrimToSize and GetMinFee. No timer does this; eviction runs after acceptances and after
// reorganisations.
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../log/logger.js';
import { feeRateOf } from '../policy/fee-rate.js';
import type { MempoolOptions } from './options.js';
import { collectDescendants } from './relatives.js';
import type { TxPool } from './tx-pool.js';
import { type WorstChunk, withDescendants, worstChunk } from './worst-chunk.js';

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
