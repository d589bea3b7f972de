// What a transaction should pay to confirm within so many blocks, learnt from what the pool saw and the blocks took.
// Core 0.21's CBlockPolicyEstimator: three horizons (12 blocks; 48 in steps of 2; 1,008 in steps of 24), buckets 5 %
// apart. The mempool tells it of entries and blocks; RPC asks.
import { feeRateOf } from '../../policy/fee-rate.js';
import { ConfirmStats, type FeeRange, type MedianAnswer } from './confirm-stats.js';

/** What the estimator reads of a pool entry, and the mark that it keeps there. */
export interface TrackedEntry {
  readonly fee: number;
  readonly size: number;
  /** Height of the tip when it came. */
  readonly height: number;
  /** Bucket of its fee rate, -1 while it is not followed. */
  feeBucket: number;
}

export const HORIZONS = ['short', 'medium', 'long'] as const;
export type Horizon = (typeof HORIZONS)[number];

/** What estimaterawfee shows of a horizon. */
export interface RawEstimate {
  /** Satoshis per 1,000 virtual bytes; 0 without an answer. */
  readonly feeRate: number;
  readonly decay: number;
  readonly scale: number;
  readonly pass: FeeRange;
  readonly fail: FeeRange;
}

/** An answer of estimatesmartfee. */
export interface SmartEstimate {
  /** Satoshis per 1,000 virtual bytes; 0 without an answer. */
  readonly feeRate: number;
  /** The target it stands for: the one asked for, or the longest there is data for. */
  readonly blocks: number;
  /** Which of the questions gave the rate, in Core's words. */
  readonly reason: string;
}

/** Names of the questions that a smart estimate asks. */
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
/** Transactions per block that a run of buckets needs; the short horizon has fewer blocks to collect them. */
const SUFFICIENT_TXS = { short: 0.5, medium: 0.1, long: 0.1 } as const;
/** Blocks after which what was saved says nothing about now. */
const OLDEST_HISTORY = 6 * 1_008;

/** Upper ends of the buckets, satoshis per 1,000 virtual bytes. */
export const FEE_BUCKETS: readonly number[] = (() => {
  const ends: number[] = [];
  for (let end = MIN_BUCKET_RATE; end <= MAX_BUCKET_RATE; end *= BUCKET_SPACING) ends.push(end);
  ends.push(ENDLESS_RATE);
  return ends;
})();

/** First bucket whose end is not below the rate. */
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

/** Heights between which data was collected. */
export interface FeeHistory {
  bestHeight: number;
  /** First block of this process that confirmed something it had seen, 0 before. */
  firstHeight: number;
  /** Range of what was loaded; 0 and 0 without. */
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
   * Whether anything was ever seen or loaded: without, a block has nothing to age, and initial download has very many
   * blocks.
   */
  hasData = false;

  /** @param enabled false: the estimator collects no data and gives no estimates, as with -blocksonly */
  constructor(readonly enabled = true) {}

  /**
   * An entry came.
   * @param telling whether its wait says something about fees: it pays for itself alone, replaced nothing, and blocks
   * come as they are found
   */
  enter(entry: TrackedEntry, telling: boolean): void {
    // During a reorganisation the pool is at a height of its own; the next block straightens that out.
    if (!this.enabled || !telling || entry.height !== this.history.bestHeight) return;
    entry.feeBucket = bucketOf(feeRateOf(entry.fee, entry.size));
    this.hasData = true;
    for (const horizon of HORIZONS) this.stats[horizon].addTransaction(entry.height, entry.feeBucket);
  }

  /** An entry left for any other reason than a block that was counted. */
  leave(entry: TrackedEntry): void {
    if (entry.feeBucket >= 0) this.#removeEntry(entry, false);
  }

  /** A block was connected. @param confirmed the entries of the pool that it holds */
  block(height: number, confirmed: readonly TrackedEntry[]): void {
    const { history } = this;
    // A branch that takes over repeats heights that were counted.
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

  /** Blocks that data of this process covers. */
  get span(): number {
    const { firstHeight, bestHeight } = this.history;
    return firstHeight === 0 ? 0 : bestHeight - firstHeight;
  }

  /** Blocks that loaded data covers, 0 when it is too old. */
  get savedSpan(): number {
    const { savedFirst, savedBest, bestHeight } = this.history;
    return savedFirst === 0 || bestHeight - savedBest > OLDEST_HISTORY ? 0 : savedBest - savedFirst;
  }

  /** estimatesmartfee. @param target blocks @param conservative do not follow short dips */
  smart(target: number, conservative: boolean): SmartEstimate {
    if (target <= 0 || target > this.highestTarget('long')) return { feeRate: 0, blocks: target, reason: REASON.NONE };
    // No estimate for the very next block: the least target is two.
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

  /** estimaterawfee for one horizon. @param share of transactions that must have confirmed */
  raw(target: number, share: number, horizon: Horizon): RawEstimate {
    const stats = this.stats[horizon];
    const { median, pass, fail } = this.#median(horizon, target, share);
    return { feeRate: median < 0 ? 0 : Math.round(median), decay: stats.decay, scale: stats.scale, pass, fail };
  }

  #median(horizon: Horizon, target: number, successShare: number): MedianAnswer {
    return this.stats[horizon].median({ target, sufficientTxs: SUFFICIENT_TXS[horizon], successShare, height: this.history.bestHeight });
  }

  /**
   * The answer of the shortest horizon that reaches the target, or a lower one that a shorter horizon gives for its
   * longest target.
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

  /** The highest of what the longer horizons say, so that a quiet hour doesn't lower it. */
  #conservative(target: number): number {
    const { short, medium } = this.stats;
    let estimate = -1;
    if (target <= short.maxConfirms) estimate = this.#median('medium', target, DOUBLE_SHARE).median;
    if (target <= medium.maxConfirms) estimate = Math.max(estimate, this.#median('long', target, DOUBLE_SHARE).median);
    return estimate;
  }
}
