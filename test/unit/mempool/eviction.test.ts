// Tests a full mempool: which transactions are evicted first, and how the minimum fee rate changes afterwards.
import t from 'tap';
import { rejectText } from '../../../src/consensus/state.js';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { TRUE_SCRIPT, TRUE_WITNESS } from '../../framework/messages.js';
import { outpointOf, spend } from '../../framework/model-chain.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

const PADDED = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);
const SIZE = 91;
const pay = (outpoint: Uint8Array, value: number): TxView => spend(crypto, [outpoint], [{ value, script: PADDED }]);
const policy = { ...NO_POLICY, incrementalFeeRate: 1000 };

t.test('evicts the transaction whose descendants pay the lowest rate', async (t) => {
  const probe = createPool({ policy });
  await probe.pool.accept(pay(probe.chain.fund(1_000_000), 900_000));
  const one = probe.pool.stats().usageBytes;
  // Memory for four transactions and a half.
  const { pool, chain } = createPool({ policy, maxUsageBytes: Math.floor(one * 4.5) });
  const fees = [1000, 5000, 3000];
  const txs = fees.map((fee) => pay(chain.fund(1_000_000), 1_000_000 - fee));
  for (const tx of txs) t.equal((await pool.accept(tx)).reject, null);
  const rescue = pay(outpointOf(txs[0], 0), 1_000_000 - 1000 - 20_000);
  t.equal((await pool.accept(rescue)).reject, null, 'a child that pays for the cheapest');
  t.equal(pool.size, 4);
  const fifth = pay(chain.fund(1_000_000), 990_000);
  t.equal((await pool.accept(fifth)).reject, null);
  t.notOk(pool.has(txs[2].txid), 'now the one with 3000 is the worst');
  t.ok(pool.has(txs[0].txid) && pool.has(rescue.txid) && pool.has(txs[1].txid) && pool.has(fifth.txid));
  t.ok(pool.stats().usageBytes <= one * 4.5);
  const removedRate = Math.trunc((3000 * 1000) / SIZE) + 1000;
  t.equal(pool.stats().minFeeRate, removedRate, 'what left, and one step');
  const poor = pay(chain.fund(1_000_000), 1_000_000 - 3000);
  const { reject } = await pool.accept(poor);
  t.equal(reject === null ? 'ok' : rejectText(reject), `mempool min fee not met, 3000 < ${Math.trunc((removedRate * SIZE) / 1000)}`);
  const full = createPool({ policy, maxUsageBytes: one * 2.5 });
  for (const fee of [7000, 8000]) await full.pool.accept(pay(full.chain.fund(1_000_000), 1_000_000 - fee));
  const late = await full.pool.accept(pay(full.chain.fund(1_000_000), 1_000_000 - 6000));
  t.equal(late.reject?.reason, 'mempool full', 'the new transaction itself has the lowest rate');
});

t.test('evicts the last chunk as a whole when eviction goes by chunks', async (t) => {
  const probe = createPool({ policy });
  await probe.pool.accept(pay(probe.chain.fund(1_000_000), 900_000));
  const one = probe.pool.stats().usageBytes;
  /**
   * Two parents with low fees, a child that pays a little for both, and then an unrelated transaction that exceeds the
   * memory.
   */
  const fill = async (evictChunks: boolean) => {
    const { pool, chain } = createPool({ policy, evictChunks, maxUsageBytes: Math.floor(one * 4.4) });
    const parents = [2000, 2001].map((fee) => pay(chain.fund(1_000_000), 1_000_000 - fee));
    const child = spend(
      crypto,
      parents.map((tx) => outpointOf(tx, 0)),
      [{ value: 1_980_000, script: PADDED }],
    );
    const family = [...parents, child];
    const strangers = [50_000, 60_000].map((fee) => pay(chain.fund(1_000_000), 1_000_000 - fee));
    for (const tx of [...family, ...strangers]) t.equal((await pool.accept(tx)).reject, null);
    t.ok(strangers.every((tx) => pool.has(tx.txid)));
    return { left: family.map((tx) => pool.has(tx.txid)), minimum: pool.stats().minFeeRate, size: child.vsize + 2 * SIZE };
  };
  const plain = await fill(false);
  t.strictSame(plain.left, [false, true, false], 'as in Core 0.21: one parent and its child, the other stays behind');
  const chunked = await fill(true);
  t.strictSame(chunked.left, [false, false, false], 'one chunk: no miner would include the parents alone');
  // The child's fee is the difference of its inputs, 1,995,999, and its output, 1,980,000.
  t.equal(chunked.minimum, Math.trunc(((2000 + 2001 + 15_999) * 1000) / chunked.size) + 1000);
  t.ok(chunked.minimum < plain.minimum, 'so the next transaction needs a lower rate');
});

t.test('computes the size of an evicted chunk from the sum of its weights', async (t) => {
  const probe = createPool({ policy });
  const bare = (outpoint: Uint8Array, value: number, script = TRUE_SCRIPT) =>
    spend(crypto, [outpoint], [{ value, script }], { witness: TRUE_WITNESS });
  await probe.pool.accept(bare(probe.chain.fund(1_000_000, TRUE_SCRIPT), 900_000));
  const one = probe.pool.stats().usageBytes;
  const { pool, chain } = createPool({ policy, evictChunks: true, maxUsageBytes: Math.floor(one * 2.4) });
  const parent = bare(chain.fund(1_000_000, TRUE_SCRIPT), 999_000);
  const child = bare(outpointOf(parent, 0), 990_000);
  const foreign = bare(chain.fund(1_000_000, TRUE_SCRIPT), 900_000);
  t.strictSame([parent.weight, parent.vsize, child.weight], [381, 96, 381]);
  for (const tx of [parent, child, foreign]) t.equal((await pool.accept(tx)).reject, null);
  t.strictSame([pool.has(parent.txid), pool.has(child.txid), pool.has(foreign.txid)], [false, false, true]);
  // 10,000 satoshis for 762 weight units, which are 191 virtual bytes and not twice 96: 52,356 satoshis per 1,000.
  t.equal(pool.stats().minFeeRate, 53_356);
});

t.test('evicts, of unrelated transactions, the one that blocks would include last', async (t) => {
  const probe = createPool({ policy });
  const pay1 = (outpoint: Uint8Array, ...values: number[]) =>
    spend(
      crypto,
      [outpoint],
      values.map((value) => ({ value, script: TRUE_SCRIPT })),
      { witness: TRUE_WITNESS },
    );
  await probe.pool.accept(pay1(probe.chain.fund(1_000_000, TRUE_SCRIPT), 900_000));
  const one = probe.pool.stats().usageBytes;
  const { pool, chain, clock } = createPool({ policy, evictChunks: true, maxUsageBytes: Math.floor(one * 2.5) });
  const coin = () => chain.fund(1_000_000, TRUE_SCRIPT);
  const offer = async (tx: TxView) => {
    t.equal((await pool.accept(tx)).reject, null);
    clock.seconds++;
  };
  // The two differ only in their txids. The one with the higher txid comes later in a block, even if it is older.
  const [low, high] = [pay1(coin(), 993_100), pay1(coin(), 993_100)].sort((a, b) => Buffer.compare(a.txid, b.txid));
  await offer(high);
  await offer(low);
  await offer(pay1(coin(), 950_000));
  t.strictSame([pool.has(low.txid), pool.has(high.txid)], [true, false]);
  // 6,900 satoshis for 381 weight units (96 virtual bytes) against 10,000 for 553 (139): more by weight, less by
  // virtual size.
  const wide = pay1(coin(), 900_000, 90_000);
  t.strictSame([low.weight, low.vsize, wide.weight, wide.vsize], [381, 96, 553, 139]);
  const room = createPool({ policy, evictChunks: true, maxUsageBytes: Math.floor(one * 2.7) });
  const narrow = pay1(room.chain.fund(1_000_000, TRUE_SCRIPT), 993_100);
  const other = pay1(room.chain.fund(1_000_000, TRUE_SCRIPT), 900_000, 90_000);
  for (const tx of [other, narrow, pay1(room.chain.fund(1_000_000, TRUE_SCRIPT), 950_000)])
    t.equal((await room.pool.accept(tx)).reject, null);
  t.strictSame([room.pool.has(narrow.txid), room.pool.has(other.txid)], [true, false]);
});

t.test('evicts no transaction without its descendants when eviction goes by chunks', async (t) => {
  const probe = createPool({ policy });
  await probe.pool.accept(pay(probe.chain.fund(1_000_000), 900_000));
  const one = probe.pool.stats().usageBytes;
  const { pool, chain } = createPool({ policy, evictChunks: true, maxUsageBytes: Math.floor(one * 12.5) });
  const roll = pseudoRandom(7);
  const open: { tx: TxView; value: number }[] = [];
  let evicted = 0;
  for (let i = 0; i < 300; i++) {
    const from = roll() < 0.6 && open.length > 0 ? open.splice(Math.floor(roll() * open.length), 1)[0] : null;
    const value = from === null ? 1_000_000 : from.value;
    const fee = 200 + Math.floor(roll() ** 2 * 40_000);
    if (value - fee < 10_000) continue;
    const tx = pay(from === null ? chain.fund(value) : outpointOf(from.tx, 0), value - fee);
    const before = pool.size;
    const { reject } = await pool.accept(tx);
    if (reject === null) open.push({ tx, value: value - fee });
    if (pool.size < before + 1 && reject === null) evicted++;
    t.ok(pool.stats().usageBytes <= one * 12.5);
    // Every unconfirmed parent of a remaining transaction must be in the mempool too.
    for (const entry of pool.entries()) for (const parent of entry.parents) if (!pool.has(parent.txid)) t.fail('a parent is gone');
  }
  t.ok(evicted > 20, `${evicted} times something left`);
});

t.test('decays the minimum fee rate by halves, and only after a block', async (t) => {
  const probe = createPool({ policy });
  await probe.pool.accept(pay(probe.chain.fund(1_000_000), 900_000));
  const one = probe.pool.stats().usageBytes;
  const { pool, chain, clock } = createPool({ policy, maxUsageBytes: one * 2.2, expirySeconds: 1e9 });
  for (const fee of [91_000, 182_000, 182_000]) await pool.accept(pay(chain.fund(1_000_000), 1_000_000 - fee));
  t.equal(pool.stats().minFeeRate, 1_001_000);
  clock.seconds += 1e6;
  t.equal(pool.stats().minFeeRate, 1_001_000, 'no block, no decay');
  chain.connect([]);
  clock.seconds += 10;
  t.equal(pool.stats().minFeeRate, 1_001_000, 'not before ten seconds are over');
  clock.seconds += 12 * 3600 - 10;
  t.equal(pool.stats().minFeeRate, 500_500, 'half after twelve hours while the pool is more than half full');
  clock.seconds += 12 * 3600 * 9;
  t.equal(pool.stats().minFeeRate, 1000, 'not below the incremental rate');
  clock.seconds += 12 * 3600 * 2;
  t.equal(pool.stats().minFeeRate, 0, 'and gone below half of it');
});

t.test('counts memory as Core does', async (t) => {
  // Figures of a recorded node: the second payment of this kind added 1,072 bytes, and the list of hashes grows by
  // doubling.
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const script = Uint8Array.of(0, 20, ...new Uint8Array(20));
  const hidden = Uint8Array.of(0x52, 32, ...new Uint8Array(32));
  const one = spend(crypto, [chain.fund(9000)], [{ value: 8000, script }]);
  t.equal(pool.stats().usageBytes, 0);
  t.equal((await pool.accept(one)).reject, null);
  const bare = 144 + 48 + 112 + 64 + 64 + 416;
  t.equal(pool.stats().usageBytes, bare + 64);
  const two = spend(
    crypto,
    [chain.fund(9000)],
    [
      { value: 4000, script },
      { value: 4000, script: hidden },
    ],
  );
  t.equal((await pool.accept(two)).reject, null);
  t.equal(pool.stats().usageBytes, bare + bare + 32 + 64 + 96, 'another output, a script too long to lie inside it');
  chain.connect([one, two]);
  t.equal(pool.stats().usageBytes, 96, 'the list retains capacity for two');
});
