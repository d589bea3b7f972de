// Tests fee estimates from histories with a known answer: the scenario of Core's own test of its estimator, and its
// edge cases.
import t from 'tap';
import { decodeEstimates, encodeEstimates } from '../../../src/mempool/fees/estimates-file.js';
import { FEE_BUCKETS, FeeEstimator, type TrackedEntry } from '../../../src/mempool/fees/fee-estimator.js';
import { NEW_RULES } from '../../../src/policy/options.js';
import { outpointOf, spend } from '../../framework/model-chain.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';

const SIZE = 100;
const BASE_FEE = 2_000;
/** Satoshis per 1,000 bytes of the lowest level. */
const BASE_RATE = (BASE_FEE * 1_000) / SIZE;
const DELTA = 100;

const medium = (fees: FeeEstimator, target: number): number => (target <= 1 ? 0 : fees.raw(target, 0.95, 'medium').feeRate);

/** A market with ten levels of fee. Each block adds some transactions of each level. */
class Market {
  readonly fees = new FeeEstimator();
  readonly waiting: TrackedEntry[][] = Array.from({ length: 10 }, () => []);
  height = 0;

  offer(perLevel: number): void {
    this.waiting.forEach((level, j) => {
      for (let k = 0; k < perLevel; k++) {
        const entry: TrackedEntry = { fee: BASE_FEE * (j + 1), size: SIZE, height: this.height, feeBucket: -1 };
        this.fees.enter(entry, true);
        level.push(entry);
      }
    });
  }
  /** Mines all transactions of the highest levels. */
  mine(levels: number): void {
    const block = levels === 0 ? [] : this.waiting.slice(10 - levels).flatMap((level) => level.splice(0));
    this.fees.block(++this.height, block);
  }
}

t.test('estimates the fee rates that got into a given share of the blocks', async (t) => {
  const market = new Market();
  const { fees } = market;
  while (market.height < 200) {
    market.offer(4);
    market.mine((market.height % 10) + 1);
    if (market.height === 3) {
      // Three buckets together have enough transactions: their shares of 100, 100 and 90 % have an average above 95 %.
      t.equal(medium(fees, 1), 0);
      const estimate = medium(fees, 2);
      t.ok(estimate < 9 * BASE_RATE + DELTA && estimate > 9 * BASE_RATE - DELTA, `2 blocks: ${estimate}`);
    }
  }
  const first: number[] = [0];
  for (let target = 1; target < 10; target++) {
    first.push(medium(fees, target));
    if (target > 2) t.ok(first[target] <= first[target - 1], 'longer targets never cost more');
    const level = 11 - target;
    if (target % 2 === 0) t.ok(Math.abs(first[target] - level * BASE_RATE) < DELTA, `${target} blocks: ${first[target]}`);
  }
  for (let target = 10; target <= 48; target++) t.ok(medium(fees, target) > 0);

  for (let i = 0; i < 50; i++) market.mine(0);
  t.equal(medium(fees, 1), 0);
  for (let target = 2; target < 9; target++) t.ok(Math.abs(medium(fees, target) - first[target]) < DELTA, 'empty blocks teach little');

  for (let i = 0; i < 15; i++) {
    market.offer(4);
    market.mine(0);
  }
  for (let target = 1; target < 9; target++) {
    const estimate = medium(fees, target);
    t.ok(estimate === 0 || estimate > first[target] - DELTA, 'a jam never makes it cheaper');
  }
  market.mine(10);
  for (let target = 1; target < 9; target++) {
    const estimate = medium(fees, target);
    t.ok(estimate === 0 || estimate > first[target] - DELTA);
  }
  for (let i = 0; i < 400; i++) {
    market.offer(4);
    market.mine(10);
  }
  t.equal(medium(fees, 1), 0);
  for (let target = 2; target < 9; target++) t.ok(medium(fees, target) < first[target] - DELTA, 'everything gets in: cheaper');
  t.equal(fees.smart(2, true).blocks, 2);
  t.ok(fees.smart(2, true).feeRate >= fees.smart(2, false).feeRate);
  t.same(fees.smart(1, true), fees.smart(2, true), 'a target of one block is raised to two');
  t.equal(fees.smart(1_008, true).blocks, Math.floor(fees.span / 2), 'not beyond half of what was seen');
  t.same(fees.smart(1_009, true), { feeRate: 0, blocks: 1_009, reason: 'None' });

  t.test('loads saved estimates, and rejects a damaged or truncated file', async (t) => {
    const bytes = encodeEstimates(fees, crypto);
    const again = new FeeEstimator();
    decodeEstimates(bytes, again, crypto);
    for (const horizon of ['short', 'medium', 'long'] as const) t.same(again.stats[horizon].sums, fees.stats[horizon].sums);
    t.equal(again.savedSpan, fees.span);
    t.equal(again.smart(6, true).feeRate, fees.smart(6, true).feeRate);
    t.same(encodeEstimates(again, crypto), bytes, 'nothing new: the same file');
    again.block(market.height + 7 * 1_008, []);
    t.equal(again.savedSpan, 0, 'too old by then');
    for (const at of [0, 9, 30, bytes.length - 40, bytes.length - 1]) {
      const torn = bytes.slice();
      torn[at] ^= 1;
      const fresh = new FeeEstimator();
      t.throws(() => decodeEstimates(torn, fresh, crypto));
      t.equal(fresh.history.bestHeight, 0, 'and nothing was taken over');
    }
    const longer = new Uint8Array(bytes.length + 1);
    longer.set(bytes.subarray(0, -32));
    longer.set(crypto.sha256d(longer.subarray(0, -32)), longer.length - 32);
    t.throws(() => decodeEstimates(longer, new FeeEstimator(), crypto), { message: 'unexpected bytes after fee estimates' });
    for (const length of [0, 7, 200, bytes.length - 1]) {
      t.throws(() => decodeEstimates(bytes.subarray(0, length), new FeeEstimator(), crypto));
    }
  });
});

t.test('fee buckets and highest targets are those of Core', async (t) => {
  t.equal(FEE_BUCKETS[0], 1_000);
  t.equal(FEE_BUCKETS[1], 1_050);
  t.equal(FEE_BUCKETS.at(-1), 1e99);
  t.ok((FEE_BUCKETS.at(-2) as number) <= 10_000_000);
  t.same(
    (['short', 'medium', 'long'] as const).map((horizon) => new FeeEstimator().highestTarget(horizon)),
    [12, 48, 1_008],
  );
});

t.test('tracks only transactions without unconfirmed parents that entered by their own fee rate', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const script = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);
  const pay = (outpoint: Uint8Array, value: number) => spend(crypto, [outpoint], [{ value, script }]);
  const early = pay(chain.fund(50_000), 40_000);
  await pool.accept(early);
  t.equal(pool.get(early.txid)?.feeBucket, -1, 'no block was seen yet');
  chain.connect([]);
  const coin = chain.fund(50_000);
  const parent = pay(coin, 40_000);
  const child = pay(outpointOf(parent, 0), 30_000);
  await pool.accept(parent);
  await pool.accept(child);
  t.ok((pool.get(parent.txid)?.feeBucket ?? -1) >= 0);
  t.equal(pool.get(child.txid)?.feeBucket, -1, 'it pays for its parent too');
  const rival = pay(coin, 10_000);
  await pool.accept(rival);
  t.equal(pool.get(rival.txid)?.feeBucket, -1, 'it had to pay for what it replaced');
  const newer = createPool({ policy: { ...NO_POLICY, ...NEW_RULES, requireStandard: false } });
  newer.chain.connect([]);
  const contested = newer.chain.fund(50_000);
  await newer.pool.accept(pay(contested, 40_000));
  const better = pay(contested, 10_000);
  await newer.pool.accept(better);
  t.ok((newer.pool.get(better.txid)?.feeBucket ?? -1) >= 0, 'since release 27 that counts');
  const plain = pay(chain.fund(50_000), 45_000);
  await pool.accept(plain);
  chain.connect([plain]);
  const { sums } = pool.fees.stats.short;
  t.equal(
    sums.count.reduce((sum, n) => sum + n, 0),
    1,
    'one confirmation was counted',
  );
  t.equal(
    sums.confirmed.reduce((sum, n) => sum + n, 0),
    12,
    'within every target',
  );
  chain.reorg(1, [[], []]);
  await pool.settled();
  t.equal(pool.get(plain.txid)?.feeBucket, -1, 'what came back from a block is not followed');
});

t.test('learns nothing and returns no estimate when it is disabled', async (t) => {
  const fees = new FeeEstimator(false);
  const waiting: TrackedEntry[] = [];
  for (let height = 0; height < 200; height++) {
    for (let i = 0; i < 10; i++) {
      const entry: TrackedEntry = { fee: BASE_FEE, size: SIZE, height, feeBucket: -1 };
      fees.enter(entry, true);
      waiting.push(entry);
    }
    fees.block(height + 1, waiting.splice(0));
  }
  t.equal(fees.hasData, false);
  t.same(fees.smart(6, true), { feeRate: 0, blocks: 6, reason: 'None' });
  t.same(
    (['short', 'medium', 'long'] as const).map((horizon) => fees.highestTarget(horizon)),
    [0, 0, 0],
  );
});
