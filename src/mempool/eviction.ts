// What leaves a full or old pool, and the rolling minimum fee rate that follows an eviction. Core 0.21's Expire,
// TrimToSize and GetMinFee. The pool is never trimmed by a timer: only acceptance and reorganisations call here.
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../log/logger.js';
import { feeRateOf } from '../policy/fee-rate.js';
import type { MempoolOptions } from './options.js';
import { collectDescendants } from './relatives.js';
import type { TxPool } from './tx-pool.js';
import { type WorstChunk, withDescendants, worstChunk } from './worst-chunk.js';

/** Seconds in which the rolling minimum halves. */
const HALF_LIFE = 12 * 60 * 60;
/** The minimum is recomputed at most this often, in seconds. */
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

  /** A block came: the minimum may decay from now on. */
  blockConnected(): void {
    this.#lastUpdate = this.#clock.nowSeconds();
    this.#blockSinceBump = true;
  }

  /** Lowest fee rate that enters a pool that was full, satoshis per 1,000 virtual bytes; 0 when it wasn't. */
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

  /** Drops what is too old, then the worst until the pool fits. @returns entries removed */
  limit(): number {
    return this.expire() + this.trim();
  }

  /** @returns entries removed */
  expire(): number {
    const cutoff = this.#clock.nowSeconds() - this.#options.expirySeconds;
    // Descendants are never older than what they spend, except after a reorganisation: hence one walk per turn.
    const start = this.#pool.size;
    const { rows, links } = this.#pool;
    for (let oldest = this.#pool.oldest; oldest !== undefined && rows.time[oldest] < cutoff; oldest = this.#pool.oldest) {
      const stage = new Set<number>();
      collectDescendants(links, oldest, stage);
      this.#pool.remove(stage, 'expiry');
    }
    return start - this.#pool.size;
  }

  /** @returns entries removed */
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

  /** In Core 0.21 the worst row with its descendants; by chunks the one that would be mined last. */
  #leaving(): WorstChunk | undefined {
    if (this.#options.evictChunks) return worstChunk(this.#pool);
    const { worst } = this.#pool;
    return worst === undefined ? undefined : withDescendants(this.#pool, worst);
  }
}
