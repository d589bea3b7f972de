// Estimates which fee rate confirms within a number of blocks, learnt from the mempool and the blocks. Source: Core
// 0.21's CBlockPolicyEstimator with three horizons (12 blocks; 48 in steps of 2; 1,008 in steps of 24) and buckets 5 %
// apart. The mempool reports entries and blocks; RPC calls read the estimates.
import { feeRateOf } from '../../policy/fee-rate.js';
import { ConfirmStats, type FeeRange, type MedianAnswer } from './confirm-stats.js';

/** Fields that the estimator reads of a mempool entry, and the mark that it stores there. */
export interface TrackedEntry {
  readonly fee: number;
  readonly size: number;
  /** Height of the tip when it entered. */
  readonly height: number;
  /** Bucket of the entry's fee rate, written by the estimator; -1 if the estimator does not follow the entry. */
  feeBucket: number;
}

export const HORIZONS = ['short', 'medium', 'long'] as const;
export type Horizon = (typeof HORIZONS)[number];

/** Answer of estimaterawfee for one horizon. */
export interface RawEstimate {
  /** Fee rate in satoshis per 1,000 virtual bytes; 0 if unknown. */
  readonly feeRate: number;
  readonly decay: number;
  readonly scale: number;
  readonly pass: FeeRange;
  readonly fail: FeeRange;
}

/** Answer of estimatesmartfee. */
export interface SmartEstimate {
  /** Fee rate in satoshis per 1,000 virtual bytes; 0 if unknown. */
  readonly feeRate: number;
  /** Target in blocks that was used: the requested one, or the longest one with data. */
  readonly blocks: number;
  /** Name of the estimate that gave the rate, in Core's words. */
  readonly reason: string;
}

/** Names of the estimates that a smart estimate combines. */
const REASON = {
  NONE: 'None',
  HALF: 'Half Target 60% Threshold',
  FULL: 'Target 85% Threshold',
  DOUBLE: 'Double Target 95% Threshold',
  CONSERVATIVE: 'Conservative Double Target longer horizon',
} as const;

const MIN_BUCKET_RATE = 1_000;
const MAX_BUCKET_RATE = 10_000_000;
const BUCKET_SPACING = 1.05;
/** Upper end of the last bucket. */
const ENDLESS_RATE = 1e99;

/** Decays: half-lives of 18 blocks, 144 blocks (a day), 1,008 blocks (a week). */
const SHAPES = {
  short: { periods: 12, decay: 0.962, scale: 1 },
  medium: { periods: 24, decay: 0.9952, scale: 2 },
  long: { periods: 42, decay: 0.99931, scale: 24 },
} as const;

/** Shares that must confirm within half the target, the target, and twice the target. */
const HALF_SHARE = 0.6;
const SHARE = 0.85;
const DOUBLE_SHARE = 0.95;
/**
 * Transactions per block that a range of buckets needs. The short horizon needs more, because it covers fewer blocks.
 */
const SUFFICIENT_TXS = { short: 0.5, medium: 0.1, long: 0.1 } as const;
/** Age in blocks after which saved data is ignored. */
const OLDEST_HISTORY = 6 * 1_008;

/** Upper ends of the buckets, satoshis per 1,000 virtual bytes. */
export const FEE_BUCKETS: readonly number[] = (() => {
  const ends: number[] = [];
  for (let end = MIN_BUCKET_RATE; end <= MAX_BUCKET_RATE; end *= BUCKET_SPACING) ends.push(end);
  ends.push(ENDLESS_RATE);
  return ends;
})();

/** Returns the first bucket whose upper bound is not below the rate. */
function bucketOf(rate: number): number {
  let low = 0;
  let high = FEE_BUCKETS.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (FEE_BUCKETS[middle] < rate) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Heights of the blocks with collected data. */
export interface FeeHistory {
  bestHeight: number;
  /** Height of the first block of this process that confirmed a followed transaction; 0 before there is one. */
  firstHeight: number;
  /** First and last height of the loaded data; both 0 if no data was loaded. */
  savedFirst: number;
  savedBest: number;
}

export class FeeEstimator {
  readonly stats: Readonly<Record<Horizon, ConfirmStats>> = {
    short: new ConfirmStats(FEE_BUCKETS, SHAPES.short),
    medium: new ConfirmStats(FEE_BUCKETS, SHAPES.medium),
    long: new ConfirmStats(FEE_BUCKETS, SHAPES.long),
  };
  readonly history: FeeHistory = { bestHeight: 0, firstHeight: 0, savedFirst: 0, savedBest: 0 };
  /**
   * True if anything was ever recorded or loaded. Otherwise blocks need no processing, which saves time in the initial
   * block download.
   */
  hasData = false;

  /** @param enabled false: the estimator collects no data and gives no estimates, as with -blocksonly */
  constructor(readonly enabled = true) {}

  /**
   * Starts to follow an entry. Called when it was added.
   * @param telling whether the waiting time of the entry is meaningful: the entry has no unconfirmed parents, replaced
   *   nothing, and blocks arrive soon after they are mined
   */
  enter(entry: TrackedEntry, telling: boolean): void {
    // During a reorganisation the height of an entry differs from bestHeight. Such an entry is not followed.
    if (!this.enabled || !telling || entry.height !== this.history.bestHeight) return;
    entry.feeBucket = bucketOf(feeRateOf(entry.fee, entry.size));
    this.hasData = true;
    for (const horizon of HORIZONS) this.stats[horizon].addTransaction(entry.height, entry.feeBucket);
  }

  /** Called when an entry left the mempool, except by a block that `block` counts. */
  leave(entry: TrackedEntry): void {
    if (entry.feeBucket >= 0) this.#removeEntry(entry, false);
  }

  /**
   * Called when a block was connected.
   * @param confirmed mempool entries that it confirms
   */
  block(height: number, confirmed: readonly TrackedEntry[]): void {
    const { history } = this;
    // Blocks of another branch repeat heights that were counted already.
    if (height <= history.bestHeight) return;
    history.bestHeight = height;
    if (!this.hasData) return;
    for (const horizon of HORIZONS) this.stats[horizon].startBlock(height);
    let counted = 0;
    for (const entry of confirmed) {
      if (entry.feeBucket < 0) continue;
      const bucket = entry.feeBucket;
      this.#removeEntry(entry, true);
      const blocks = height - entry.height;
      if (blocks <= 0) continue;
      const rate = feeRateOf(entry.fee, entry.size);
      for (const horizon of HORIZONS) this.stats[horizon].record(blocks, bucket, rate);
      counted++;
    }
    if (history.firstHeight === 0 && counted > 0) history.firstHeight = height;
  }

  #removeEntry(entry: TrackedEntry, confirmed: boolean): void {
    for (const horizon of HORIZONS)
      this.stats[horizon].removeTransaction(entry.height, this.history.bestHeight, entry.feeBucket, confirmed);
    entry.feeBucket = -1;
  }

  /** Longest target of a horizon, in blocks; 0 while the estimator is disabled. */
  highestTarget(horizon: Horizon): number {
    return this.enabled ? this.stats[horizon].maxConfirms : 0;
  }

  /** Number of blocks that data of this process covers. */
  get span(): number {
    const { firstHeight, bestHeight } = this.history;
    return firstHeight === 0 ? 0 : bestHeight - firstHeight;
  }

  /** Number of blocks that loaded data covers; 0 if it is too old. */
  get savedSpan(): number {
    const { savedFirst, savedBest, bestHeight } = this.history;
    return savedFirst === 0 || bestHeight - savedBest > OLDEST_HISTORY ? 0 : savedBest - savedFirst;
  }

  /**
   * Returns a smart estimate (estimatesmartfee).
   * @param target in blocks
   * @param conservative also use the longer horizons, so that a short dip does not lower the estimate
   */
  smart(target: number, conservative: boolean): SmartEstimate {
    if (target <= 0 || target > this.highestTarget('long')) return { feeRate: 0, blocks: target, reason: REASON.NONE };
    // The lowest usable target is two blocks. Estimates need data for at least twice the target.
    const usable = Math.min(this.stats.long.maxConfirms, Math.floor(Math.max(this.span, this.savedSpan) / 2));
    const blocks = Math.min(Math.max(2, target), usable);
    if (blocks <= 1) return { feeRate: 0, blocks, reason: REASON.NONE };
    let median = this.#combined(Math.floor(blocks / 2), HALF_SHARE, true);
    let reason: string = REASON.HALF;
    const raise = (to: number, why: string): void => {
      if (to <= median) return;
      median = to;
      reason = why;
    };
    raise(this.#combined(blocks, SHARE, true), REASON.FULL);
    raise(this.#combined(2 * blocks, DOUBLE_SHARE, !conservative), REASON.DOUBLE);
    if (conservative || median === -1) raise(this.#conservative(2 * blocks), REASON.CONSERVATIVE);
    return { feeRate: median < 0 ? 0 : Math.round(median), blocks, reason };
  }

  /**
   * Returns the estimate of one horizon (estimaterawfee).
   * @param share share of transactions that must have confirmed
   */
  raw(target: number, share: number, horizon: Horizon): RawEstimate {
    const stats = this.stats[horizon];
    const { median, pass, fail } = this.#median(horizon, target, share);
    return { feeRate: median < 0 ? 0 : Math.round(median), decay: stats.decay, scale: stats.scale, pass, fail };
  }

  #median(horizon: Horizon, target: number, successShare: number): MedianAnswer {
    return this.stats[horizon].median({ target, sufficientTxs: SUFFICIENT_TXS[horizon], successShare, height: this.history.bestHeight });
  }

  /**
   * Returns the estimate of the shortest horizon that reaches the target. With checkShorter, returns a lower estimate
   * that a shorter horizon gives for its own longest target.
   */
  #combined(target: number, share: number, checkShorter: boolean): number {
    const { short, medium, long } = this.stats;
    if (target < 1 || target > long.maxConfirms) return -1;
    if (target <= short.maxConfirms) return this.#median('short', target, share).median;
    let estimate = this.#median(target <= medium.maxConfirms ? 'medium' : 'long', target, share).median;
    if (!checkShorter) return estimate;
    for (const horizon of ['medium', 'short'] as const) {
      const longest = this.stats[horizon].maxConfirms;
      if (target <= longest) continue;
      const { median } = this.#median(horizon, longest, share);
      if (median > 0 && (estimate === -1 || median < estimate)) estimate = median;
    }
    return estimate;
  }

  /**
   * Returns the highest estimate of the medium and long horizons, so that an hour with few transactions does not lower
   * it.
   */
  #conservative(target: number): number {
    const { short, medium } = this.stats;
    let estimate = -1;
    if (target <= short.maxConfirms) estimate = this.#median('medium', target, DOUBLE_SHARE).median;
    if (target <= medium.maxConfirms) estimate = Math.max(estimate, this.#median('long', target, DOUBLE_SHARE).median);
    return estimate;
  }
}
