// Records how many blocks transactions of each fee rate took to confirm, for one horizon: decaying counts by bucket of
// fee rate and period of blocks. Computes the same sums as Core 0.21's TxConfirmStats, so that estimates equal Core's.

/** Consecutive buckets with figures of their transactions. Rates in satoshis per 1,000 virtual bytes; counts decay. */
export interface FeeRange {
  /** Exclusive lower and inclusive upper bound; -1 if there is no such range. */
  readonly start: number;
  readonly end: number;
  readonly withinTarget: number;
  readonly totalConfirmed: number;
  /** Transactions that have been unconfirmed for at least the target. */
  readonly inMempool: number;
  /** Transactions that left the mempool unconfirmed after the target. */
  readonly leftMempool: number;
}

const NO_RANGE: FeeRange = { start: -1, end: -1, withinTarget: 0, totalConfirmed: 0, inMempool: 0, leftMempool: 0 };

/** Estimate of one horizon, with the ranges that passed and failed. */
export interface MedianAnswer {
  /** Average fee rate in the bucket of the median transaction of the passed range; -1 if no range passed. */
  readonly median: number;
  readonly pass: FeeRange;
  readonly fail: FeeRange;
}

/** Query for the estimate of a horizon. */
export interface MedianQuestion {
  /** Target in blocks, 1 to maxConfirms. */
  readonly target: number;
  /** Transactions per block that a range of buckets needs before it is evaluated. */
  readonly sufficientTxs: number;
  /** Share of transactions that must have confirmed within the target. */
  readonly successShare: number;
  /** Height of the newest block counted. */
  readonly height: number;
}

/** Sums that survive restarts, flat arrays: [period][bucket] with bucket running fastest. */
export interface ConfirmSums {
  readonly confirmed: Float64Array;
  readonly failed: Float64Array;
  readonly count: Float64Array;
  readonly rateSum: Float64Array;
}

/** Returns x modulo n, also for negative x. */
const wrap = (x: number, n: number): number => ((x % n) + n) % n;

export class ConfirmStats {
  /** Blocks that one period stands for. */
  readonly scale: number;
  /** Factor by which all sums shrink with each block. */
  readonly decay: number;
  /** Longest target of this horizon, in blocks. */
  readonly maxConfirms: number;
  readonly #periods: number;
  readonly #buckets: readonly number[];
  readonly sums: ConfirmSums;
  /**
   * Number of transactions in the mempool by bucket, for each entry height modulo maxConfirms. A second array counts
   * older ones.
   */
  readonly #waiting: Int32Array;
  readonly #waitingLonger: Int32Array;

  /** @param buckets upper ends of the buckets, ascending */
  constructor(buckets: readonly number[], options: { periods: number; decay: number; scale: number }) {
    const width = buckets.length;
    this.#buckets = buckets;
    this.#periods = options.periods;
    this.scale = options.scale;
    this.decay = options.decay;
    this.maxConfirms = options.scale * options.periods;
    this.sums = {
      confirmed: new Float64Array(options.periods * width),
      failed: new Float64Array(options.periods * width),
      count: new Float64Array(width),
      rateSum: new Float64Array(width),
    };
    this.#waiting = new Int32Array(this.maxConfirms * width);
    this.#waitingLonger = new Int32Array(width);
  }

  /**
   * Starts the block at this height. Transactions that entered the mempool maxConfirms blocks ago move to the count of
   * older ones. All sums decay.
   */
  startBlock(height: number): void {
    const width = this.#buckets.length;
    const row = wrap(height, this.maxConfirms) * width;
    for (let b = 0; b < width; b++) {
      this.#waitingLonger[b] += this.#waiting[row + b];
      this.#waiting[row + b] = 0;
    }
    for (const list of Object.values(this.sums)) for (let i = 0; i < list.length; i++) list[i] *= this.decay;
  }

  /** Records a transaction that was confirmed after this many blocks (at least 1). */
  record(blocksToConfirm: number, bucket: number, rate: number): void {
    if (blocksToConfirm < 1) return;
    const width = this.#buckets.length;
    for (let period = Math.ceil(blocksToConfirm / this.scale); period <= this.#periods; period++) {
      this.sums.confirmed[(period - 1) * width + bucket]++;
    }
    this.sums.count[bucket]++;
    this.sums.rateSum[bucket] += rate;
  }

  /** Adds a transaction that entered the mempool at this height. */
  addTransaction(height: number, bucket: number): void {
    this.#waiting[wrap(height, this.maxConfirms) * this.#buckets.length + bucket]++;
  }

  /**
   * Removes a transaction from the counts of the mempool.
   * @param confirmed true if a block confirmed it; record() counts it then
   */
  removeTransaction(entryHeight: number, bestHeight: number, bucket: number, confirmed: boolean): void {
    const width = this.#buckets.length;
    const blocksAgo = bestHeight === 0 ? 0 : bestHeight - entryHeight;
    // A reorganisation can leave the newest height below the height of the entry. Then no count has to change.
    if (blocksAgo < 0) return;
    if (blocksAgo >= this.maxConfirms) {
      if (this.#waitingLonger[bucket] > 0) this.#waitingLonger[bucket]--;
    } else {
      const at = wrap(entryHeight, this.maxConfirms) * width + bucket;
      if (this.#waiting[at] > 0) this.#waiting[at]--;
    }
    if (confirmed || blocksAgo < this.scale) return;
    const periods = Math.min(Math.floor(blocksAgo / this.scale), this.#periods);
    for (let period = 0; period < periods; period++) this.sums.failed[period * width + bucket]++;
  }

  /**
   * Joins buckets, highest fee rate first, until a range has enough transactions. The estimate comes from the last
   * range that passes before one fails.
   */
  median({ target, sufficientTxs, successShare, height }: MedianQuestion): MedianAnswer {
    const { sums } = this;
    const width = this.#buckets.length;
    const top = width - 1;
    const row = (Math.ceil(target / this.scale) - 1) * width;
    const enough = sufficientTxs / (1 - this.decay);
    let within = 0;
    let total = 0;
    let waiting = 0;
    let failed = 0;
    let near = top;
    let far = top;
    let best: [near: number, far: number] = [top, top];
    let found = false;
    let startsRun = true;
    let passing = true;
    let pass = NO_RANGE;
    let fail = NO_RANGE;
    const run = (low: number, high: number): FeeRange => ({
      start: low > 0 ? this.#buckets[low - 1] : 0,
      end: this.#buckets[high],
      withinTarget: within,
      totalConfirmed: total,
      inMempool: waiting,
      leftMempool: failed,
    });
    for (let bucket = top; bucket >= 0; bucket--) {
      if (startsRun) near = bucket;
      startsRun = false;
      far = bucket;
      within += sums.confirmed[row + bucket];
      total += sums.count[bucket];
      failed += sums.failed[row + bucket];
      for (let blocks = target; blocks < this.maxConfirms; blocks++) {
        // Below height 0 the number wraps at 2^32, as in Core.
        waiting += this.#waiting[wrap((height - blocks) >>> 0, this.maxConfirms) * width + bucket];
      }
      waiting += this.#waitingLonger[bucket];
      if (total < enough) continue;
      if (within / (total + failed + waiting) < successShare) {
        // The range failed. The next buckets join it, and the larger range may pass.
        if (passing) fail = run(far, near);
        passing = false;
        continue;
      }
      fail = NO_RANGE;
      found = true;
      passing = true;
      best = [near, far];
      pass = run(far, near);
      within = total = waiting = failed = 0;
      startsRun = true;
    }
    if (passing && !startsRun) fail = run(far, near);
    const [high, low] = best;
    let median = -1;
    let sum = 0;
    for (let b = low; b <= high; b++) sum += sums.count[b];
    if (found && sum !== 0) {
      sum /= 2;
      for (let b = low; b <= high; b++) {
        if (sums.count[b] < sum) sum -= sums.count[b];
        else {
          median = sums.rateSum[b] / sums.count[b];
          break;
        }
      }
    }
    return { median, pass, fail };
  }
}
