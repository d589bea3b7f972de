// Compares the counts behind fee estimates with a model that keeps every transaction and its outcome.
import t from 'tap';
import { ConfirmStats, type FeeRange, type MedianQuestion } from '../../../src/mempool/fees/confirm-stats.js';
import { fc } from '../../framework/fast-check.js';

const BUCKETS = [1_000, 2_000, 4_000, 8_000, 1e99];
const SHAPE = { periods: 3, decay: 0.9, scale: 2 };
const MOST = SHAPE.periods * SHAPE.scale;

interface Tx {
  readonly bucket: number;
  readonly rate: number;
  readonly entered: number;
  /** Height at which the transaction left the mempool; `fate` tells how. */
  left: number;
  fate: 'waits' | 'confirmed' | 'dropped';
}

/** Figures of one bucket that the model computes. */
interface Known {
  readonly within: number;
  readonly total: number;
  readonly waiting: number;
  readonly failed: number;
  readonly rates: number;
}

class Model {
  readonly txs: Tx[] = [];
  height = 10;

  /** @param bucket index */
  known(bucket: number, target: number): Known {
    const own = this.txs.filter((tx) => tx.bucket === bucket);
    const sum = (txs: readonly Tx[], of: (tx: Tx) => number = () => 1): number =>
      txs.reduce((total, tx) => total + of(tx) * SHAPE.decay ** (this.height - tx.left), 0);
    const reach = Math.ceil(target / SHAPE.scale) * SHAPE.scale;
    const confirmed = own.filter(({ fate }) => fate === 'confirmed');
    return {
      within: sum(confirmed.filter((tx) => tx.left - tx.entered <= reach)),
      total: sum(confirmed),
      rates: sum(confirmed, ({ rate }) => rate),
      failed: sum(own.filter((tx) => tx.fate === 'dropped' && tx.left - tx.entered >= reach)),
      waiting: own.filter((tx) => tx.fate === 'waits' && this.height - tx.entered >= target).length,
    };
  }

  /**
   * Finds the last run of buckets that passes, from the highest fee down, and the run that ended the search. If the
   * median may lie in either of two buckets, both are returned.
   */
  answer({ target, sufficientTxs, successShare }: MedianQuestion): { medians: number[]; pass: FeeRange; fail: FeeRange } {
    const all = BUCKETS.map((_, bucket) => this.known(bucket, target));
    const total = (low: number, high: number, name: keyof Known): number =>
      all.slice(low, high + 1).reduce((sum, known) => sum + known[name], 0);
    const range = (low: number, high: number): FeeRange => ({
      start: low > 0 ? BUCKETS[low - 1] : 0,
      end: BUCKETS[high],
      withinTarget: total(low, high, 'within'),
      totalConfirmed: total(low, high, 'total'),
      inMempool: total(low, high, 'waiting'),
      leftMempool: total(low, high, 'failed'),
    });
    const none: FeeRange = { start: -1, end: -1, withinTarget: 0, totalConfirmed: 0, inMempool: 0, leftMempool: 0 };
    const enough = (low: number, high: number): boolean => total(low, high, 'total') >= sufficientTxs / (1 - SHAPE.decay);
    const passes = (low: number, high: number): boolean => {
      const { withinTarget, totalConfirmed, leftMempool, inMempool } = range(low, high);
      return withinTarget / (totalConfirmed + leftMempool + inMempool) >= successShare;
    };
    const downFrom = (high: number): number[] => Array.from({ length: high + 1 }, (_, i) => high - i).filter((low) => enough(low, high));
    let best: [low: number, high: number] | undefined;
    let high = BUCKETS.length - 1;
    for (;;) {
      const low = downFrom(high).find((one) => passes(one, high));
      if (low === undefined) break;
      best = [low, high];
      high = low - 1;
    }
    const failing = downFrom(high)[0];
    const fail = high < 0 ? none : range(failing ?? 0, high);
    if (best === undefined) return { medians: [-1], pass: none, fail };
    let left = total(...best, 'total') / 2;
    let at = best[0];
    while (all[at].total < left && !close(all[at].total, left)) left -= all[at++].total;
    // Rounding of the sums may decide whether a bucket contains the median, if the median is at the bucket's end. Then
    // the next bucket is allowed too.
    const next = close(all[at].total, left) ? all.slice(at + 1, best[1] + 1).find(({ total }) => total > 0) : undefined;
    const medians = [all[at], ...(next ? [next] : [])].map(({ rates, total }) => rates / total);
    return { medians, pass: range(...best), fail };
  }
}

const close = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
const alike = (a: FeeRange, b: FeeRange): boolean => (Object.keys(a) as (keyof FeeRange)[]).every((name) => close(a[name], b[name]));

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('enter' as const), bucket: fc.nat(4), of: fc.nat(100) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('block' as const, 'drop' as const), bucket: fc.nat(4), of: fc.nat(100) }) },
  ),
  { minLength: 10, maxLength: 120 },
);
const questions = fc.record({
  target: fc.integer({ min: 1, max: MOST }),
  // Values that no decayed sum equals exactly.
  sufficientTxs: fc.constantFrom(0.013, 0.0507, 0.1703),
  successShare: fc.constantFrom(0.501, 0.853, 0.951),
});

t.test('counts and estimates like a naive model over random histories of transactions', async (t) => {
  let found = 0;
  let failed = 0;
  fc.assert(
    fc.property(steps, questions, (list, question) => {
      const stats = new ConfirmStats(BUCKETS, SHAPE);
      const model = new Model();
      for (const { kind, bucket, of } of list) {
        const waits = model.txs.filter(({ fate }) => fate === 'waits');
        if (kind === 'enter') {
          const rate = 500 * 2 ** bucket + of;
          model.txs.push({ bucket, rate, entered: model.height, left: 0, fate: 'waits' });
          stats.addTransaction(model.height, bucket);
        } else if (kind === 'drop') {
          const tx = waits[of % Math.max(1, waits.length)];
          if (tx === undefined) continue;
          Object.assign(tx, { fate: 'dropped', left: model.height });
          stats.removeTransaction(tx.entered, model.height, tx.bucket, false);
        } else {
          model.height++;
          stats.startBlock(model.height);
          // Confirms transactions of this bucket and of the buckets above it, except one in three.
          for (const tx of waits.filter((one, i) => one.bucket >= bucket && (i + of) % 3 > 0)) {
            Object.assign(tx, { fate: 'confirmed', left: model.height });
            stats.removeTransaction(tx.entered, model.height, tx.bucket, true);
            stats.record(model.height - tx.entered, tx.bucket, tx.rate);
          }
        }
      }
      const asked = { ...question, height: model.height };
      const { median, pass, fail } = stats.median(asked);
      const naive = model.answer(asked);
      if (median > 0) found++;
      if (fail.end > 0) failed++;
      return naive.medians.some((one) => close(median, one)) && alike(pass, naive.pass) && alike(fail, naive.fail);
    }),
    { numRuns: 1_000 },
  );
  t.ok(found > 200 && failed > 200, `${found} found a rate, ${failed} a range that failed`);
});
