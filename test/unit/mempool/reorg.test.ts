// Tests blocks that are disconnected: which transactions return to the mempool, how this affects the ones that are in
// it, and which ones are not valid on the shorter chain.
import t from 'tap';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { TimeSlice } from '../../../src/lib/time-slice.js';
import { ANYONE, outpointOf, type SpendOptions, spend } from '../../framework/model-chain.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';
import { until } from '../../framework/until.js';

const PADDED = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);
const pay = (outpoints: Uint8Array[], value: number, options: SpendOptions = {}): TxView =>
  spend(crypto, outpoints, [{ value, script: PADDED }], options);

t.test('returns confirmed transactions before their unconfirmed children, and links them again', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const parent = pay([chain.fund(50_000)], 49_000);
  const middle = pay([outpointOf(parent, 0)], 48_000);
  const child = pay([outpointOf(middle, 0)], 40_000);
  chain.connect([parent]);
  chain.connect([middle]);
  t.equal((await pool.accept(child)).reject, null);
  t.notOk(pool.returning);
  chain.reorg(2, [[], [], []]);
  t.ok(pool.returning, 'known at once');
  await pool.settled();
  t.notOk(pool.returning);
  t.equal(pool.size, 3);
  t.equal(pool.get(child.txid)?.ancestorCount, 3);
  t.equal(pool.get(child.txid)?.ancestorFees, 10_000);
  t.equal(pool.get(parent.txid)?.descendantCount, 3);
  t.equal(pool.get(parent.txid)?.descendantFees, 10_000);
});

t.test('outlasts tells before a block is applied whether transactions remain after it', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const txs = [1, 2, 3].map((i) => pay([chain.fund(50_000)], 40_000 + i));
  for (const tx of txs) t.equal((await pool.accept(tx)).reject, null);
  const block = (count: number) => ({ block: { txs: txs.slice(0, count) } });
  t.ok(pool.outlasts({ connected: [block(2)], disconnected: [] }));
  t.notOk(pool.outlasts({ connected: [block(3)], disconnected: [] }));
  t.notOk(pool.outlasts({ connected: [block(1), block(2)], disconnected: [] }));
  t.notOk(pool.outlasts({ connected: [block(1)], disconnected: [{ ...block(1), node: chain.tip }] }), 'what comes back may be anything');
});

t.test('a block removes all spends of a transaction, even if its copy has another witness', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  for (const witness of [undefined, [Uint8Array.of(1)]]) {
    const coins = [chain.fund(50_000), chain.fund(60_000)];
    const [tx, copy] = [{}, { witness }].map((options) => pay(coins, 100_000, options)) as [TxView, TxView];
    t.same(tx.txid, copy.txid);
    t.equal((await pool.accept(tx)).reject, null);
    for (const coin of coins) t.same(pool.spender(coin)?.txid, tx.txid);
    chain.connect([copy]);
    t.equal(pool.size, 0);
    for (const coin of coins) t.equal(pool.spender(coin), undefined);
    t.equal(pool.getByWtxid(tx.wtxid), undefined);
  }
});

t.test('removes the spender of a disconnected coinbase, and does not return the coinbase', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const block = chain.connect([]);
  for (let i = 0; i < 100; i++) chain.connect([]);
  const spender = pay([outpointOf(block.txs[0], 0), chain.fund(10_000)], 9_000);
  const below = pay([outpointOf(spender, 0)], 8_000);
  t.equal((await pool.accept(spender)).reject, null);
  t.equal((await pool.accept(below)).reject, null);
  // The chain has two blocks less: the next block is the 99th after the coinbase.
  chain.reorg(3, [[]]);
  await pool.settled();
  t.equal(pool.size, 0);
});

t.test('removes transactions whose lock times are no longer met after a reorganisation', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const funding = pay([chain.fund(50_000)], 49_000);
  chain.connect([funding]);
  chain.connect([]);
  const relative = pay([outpointOf(funding, 0)], 48_000, { sequence: 3 });
  const absolute = pay([chain.fund(50_000)], 49_000, { locktime: chain.tip.height, sequence: 0 });
  const free = pay([chain.fund(50_000)], 49_000, { sequence: 1 });
  t.equal((await pool.accept(relative)).reject?.reason, 'non-BIP68-final');
  chain.connect([]);
  for (const tx of [relative, absolute, free]) t.equal((await pool.accept(tx)).reject, null);
  chain.reorg(2, [[]]);
  await pool.settled();
  t.notOk(pool.has(relative.txid), 'its coin is two blocks deep only');
  t.ok(pool.has(absolute.txid), 'the next block is still higher than its lock');
  chain.reorg(1, []);
  await pool.settled();
  t.notOk(pool.has(absolute.txid), 'and now it is not');
  t.ok(pool.has(free.txid));
});

t.test('removes a returning transaction that the next block confirms or conflicts with', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const a = pay([chain.fund(50_000)], 49_000);
  const b = pay([outpointOf(a, 0)], 48_000);
  const c = pay([chain.fund(50_000)], 49_000);
  chain.connect([a, b, c]);
  chain.reorg(1, [[]]);
  // A block confirms `a` before it has returned, because the test did not wait.
  chain.connect([a]);
  await pool.settled();
  t.notOk(pool.has(a.txid));
  t.ok(pool.has(b.txid) && pool.has(c.txid));
  t.equal(pool.get(b.txid)?.ancestorCount, 1);
  // Transactions that conflict with the new branch do not return, and neither do their descendants.
  const coin = chain.fund(50_000);
  const old = pay([coin], 49_000);
  const oldChild = pay([outpointOf(old, 0)], 48_000);
  const other = spend(
    crypto,
    [coin],
    [
      { value: 45_000, script: ANYONE },
      { value: 1_000, script: PADDED },
    ],
  );
  chain.connect([old]);
  t.equal((await pool.accept(oldChild)).reject, null);
  chain.reorg(1, [[other]]);
  await pool.settled();
  t.notOk(pool.has(old.txid));
  t.notOk(pool.has(oldChild.txid));
});

t.test('removes children whose returning parent is lost to a block meanwhile', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const coin = chain.fund(50_000);
  const parent = pay([coin], 49_000);
  const others = Array.from({ length: 8 }, () => pay([chain.fund(50_000)], 49_000));
  const child = pay([outpointOf(parent, 0)], 48_000);
  chain.connect([parent, ...others]);
  t.equal((await pool.accept(child)).reject, null);
  // A block spends the coin of a returned transaction while others have not returned yet. At this moment its children
  // are not linked to it.
  const rival = pay([coin], 40_000);
  let seen = false;
  pool.listen({
    added: ({ txid }) => {
      if (seen || Buffer.compare(txid, others[2].txid) !== 0) return;
      seen = true;
      queueMicrotask(() => chain.connect([rival]));
    },
    removed() {},
    changed() {},
  });
  chain.reorg(1, [[]]);
  await pool.settled();
  t.ok(seen);
  t.notOk(pool.has(parent.txid));
  t.notOk(pool.has(child.txid), 'no transaction stays whose parent is missing');
  for (const other of others) t.ok(pool.has(other.txid));
});

t.test('accepts a child only after its parent has returned from a disconnected block', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const a = pay([chain.fund(50_000)], 49_000);
  chain.connect([a]);
  chain.reorg(1, [[]]);
  const child = pay([outpointOf(a, 0)], 48_000);
  t.equal((await pool.accept(child)).reject, null);
  t.equal(pool.get(child.txid)?.ancestorCount, 2);
});

t.test('invalidateblock returns the transactions of the last ten blocks only', async (t) => {
  for (const steps of [[13], [4, 9], [10, 3]]) {
    const { pool, chain } = createPool({ policy: NO_POLICY });
    // One payment per block. The first of them is the parent of the last one and of one in the mempool.
    const parent = pay([chain.fund(50_000)], 49_000);
    const waiting = pay([chain.fund(50_000)], 49_000);
    const single = Array.from({ length: 11 }, () => pay([chain.fund(50_000)], 49_000));
    const child = spend(
      crypto,
      [outpointOf(parent, 0)],
      [
        { value: 20_000, script: PADDED },
        { value: 20_000, script: PADDED },
      ],
    );
    const grandchild = pay([outpointOf(child, 1)], 19_000);
    chain.connect([parent]);
    for (const tx of single) chain.connect([tx]);
    chain.connect([child]);
    for (const tx of [waiting, grandchild]) t.equal((await pool.accept(tx)).reject, null);
    chain.invalidate(steps);
    await pool.settled();
    for (const tx of single.slice(2)) t.ok(pool.has(tx.txid), 'of the last ten blocks');
    for (const tx of single.slice(0, 2)) t.notOk(pool.has(tx.txid), 'deeper ones are left behind');
    t.ok(pool.has(waiting.txid));
    for (const tx of [parent, child, grandchild]) t.notOk(pool.has(tx.txid), 'with all that spent them');
  }
});

t.test('applies the limit of 25 relatives to a whole reorganisation, but per block to invalidateblock', async (t) => {
  const chainOf = (first: Uint8Array, count: number): TxView[] => {
    const txs: TxView[] = [];
    for (let i = 0, coin = first; i < count; i++, coin = outpointOf(txs[i - 1]!, 0)) txs.push(pay([coin], 90_000 - i * 500));
    return txs;
  };
  const start = async () => {
    const { pool, chain } = createPool({ policy: NO_POLICY });
    const line = chainOf(chain.fund(100_000), 60);
    chain.connect(line.slice(0, 20));
    chain.connect(line.slice(20, 40));
    for (const tx of line.slice(40)) t.equal((await pool.accept(tx)).reject, null);
    return { pool, chain, line };
  };
  for (const steps of [[2], [1, 1]]) {
    const { pool, chain, line } = await start();
    chain.invalidate(steps);
    await pool.settled();
    t.equal(pool.size, 60);
    t.same([pool.get(line[59]!.txid)?.ancestorCount, pool.get(line[0]!.txid)?.descendantCount], [60, 60]);
    t.equal(
      (await pool.accept(pay([outpointOf(line[59]!, 0)], 50_000))).reject?.reason,
      'too-long-mempool-chain',
      'new transactions are counted',
    );
  }
  const { pool, chain, line } = await start();
  chain.reorg(2, [[], [], []]);
  await pool.settled();
  t.equal(pool.size, 25);
  t.ok(pool.has(line[24]!.txid));

  const alone = createPool({ policy: NO_POLICY });
  const long = chainOf(alone.chain.fund(100_000), 30);
  alone.chain.connect(long);
  alone.chain.invalidate([1]);
  await alone.pool.settled();
  t.equal(alone.pool.size, 25);
});

t.test('links all relatives when older blocks disconnect while transactions return', async (t) => {
  for (const moment of ['coins', 0, 1, 2] as const) {
    for (let turns = 0; turns < 12; turns++) {
      const { pool, chain } = createPool({ policy: NO_POLICY });
      const parent = pay([chain.fund(100_000)], 90_000);
      const other = pay([chain.fund(100_000)], 90_000);
      const child = pay([outpointOf(parent, 0)], 80_000);
      const nephew = pay([outpointOf(other, 0)], 80_000);
      const grandchild = pay([outpointOf(child, 0)], 70_000);
      const last = pay([outpointOf(grandchild, 0)], 60_000);
      const block = [child, nephew, grandchild];
      chain.connect([parent, other]);
      chain.connect(block);
      t.equal((await pool.accept(last)).reject, null);
      // The block arrives this many microtask ticks after the first transaction requested its coins, or after one of
      // them has returned.
      let begin: () => void = () => {};
      const olderLeft = new Promise<boolean>((resolve) => {
        begin = async () => {
          begin = () => {};
          for (let i = 0; i < turns; i++) await Promise.resolve();
          const { returning } = pool;
          chain.reorg(1, []);
          resolve(returning);
        };
      });
      const { prefetch } = chain.coins;
      chain.coins.prefetch = (outpoints) => {
        if (moment === 'coins') begin();
        return prefetch(outpoints);
      };
      pool.listen({
        added: ({ txid }) => {
          if (moment !== 'coins' && Buffer.compare(txid, block[moment]!.txid) === 0) begin();
        },
        removed() {},
        changed() {},
      });
      chain.reorg(1, []);
      const meanwhile = await olderLeft;
      if (moment !== 2) t.ok(meanwhile, 'not over yet');
      await pool.settled();
      const figures = [parent, child, grandchild, last, other, nephew].map(({ txid }) => {
        const entry = pool.get(txid);
        return entry && [entry.ancestorCount, entry.ancestorFees, entry.descendantCount, entry.descendantFees];
      });
      const related = (above: number, below: number) => [above, above * 10_000, below, below * 10_000];
      const expected = [related(1, 4), related(2, 3), related(3, 2), related(4, 1), related(1, 2), related(2, 1)];
      t.same(figures, expected, `${turns} ticks after ${moment}`);
    }
  }
});

t.test('returns transactions without waiting behind long calls', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const txs = Array.from({ length: 3 }, () => pay([chain.fund(50_000)], 49_000));
  chain.connect(txs);
  let pauses = 0;
  let over = false;
  const calls = Array.from({ length: 200 }, async () => {
    const slice = new TimeSlice();
    while (!over) {
      await slice.next();
      pauses++;
    }
  });
  chain.reorg(1, [[]]);
  await pool.settled();
  over = true;
  t.equal(pool.size, 3);
  t.ok(pauses < 100, `${pauses} pauses of other calls`);
  await Promise.all(calls);
});

t.test('invalidateblock gives each returned transaction the height below its own block', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const txs = [1, 2, 3].map((i) => pay([chain.fund(50_000)], 40_000 + i));
  const { height } = chain.tip;
  for (const tx of txs) chain.connect([tx]);
  chain.invalidate([1, 2]);
  await pool.settled();
  t.same(
    txs.map(({ txid }) => pool.get(txid)?.height),
    [height, height + 1, height + 2],
  );
});

t.test('counts a relative lock from the block that was next when the unconfirmed parent arrived', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const parent = pay([chain.fund(50_000)], 49_000);
  chain.connect([]);
  const child = pay([outpointOf(parent, 0)], 48_000, { sequence: 0 });
  const below = pay([outpointOf(child, 0)], 47_000);
  for (const tx of [parent, child, below]) t.equal((await pool.accept(tx)).reject, null);
  chain.reorg(1, [[]]);
  await pool.settled();
  t.equal(pool.size, 3, 'the chain is as high as it was');
  chain.reorg(1, []);
  await pool.settled();
  t.ok(pool.has(parent.txid));
  t.notOk(pool.has(child.txid), 'the next block is the one before that');
  t.notOk(pool.has(below.txid));
});

t.test('invalidateblock counts a relative lock from the tip on which it was first counted', async (t) => {
  for (const steps of [[3], [1, 2], [1, 1, 1]]) {
    const { pool, chain } = createPool({ policy: NO_POLICY });
    const parent = pay([chain.fund(50_000)], 49_000);
    const kept = pay([outpointOf(parent, 0)], 48_000, { sequence: 0 });
    const other = pay([chain.fund(50_000)], 49_000);
    // The block of its parent is the first of three that are disconnected. So its lock depends on a tip that is
    // disconnected too.
    const dropped = pay([outpointOf(other, 0)], 48_000, { sequence: 0 });
    const early = pay([chain.fund(50_000)], 49_000);
    const waiting = pay([outpointOf(early, 0)], 48_000, { sequence: 0 });
    const below = pay([outpointOf(waiting, 0)], 47_000);
    chain.connect([parent, kept]);
    chain.connect([early]);
    chain.connect([other, dropped]);
    for (const tx of [waiting, below]) t.equal((await pool.accept(tx)).reject, null);
    chain.invalidate(steps);
    await pool.settled();
    t.same(
      [parent, kept, other, dropped, early, waiting, below].map((tx) => pool.has(tx.txid)),
      [true, true, true, false, true, false, false],
      `blocks per change: ${steps}`,
    );
  }
});

t.test('invalidateblock removes what the lowest tip forbids, even if new blocks follow at once', async (t) => {
  for (const byHand of [true, false]) {
    const { pool, chain } = createPool({ policy: NO_POLICY });
    for (let i = 0; i < 2; i++) chain.connect([]);
    const { height } = chain.tip;
    const young = pay([chain.fund(50_000, ANYONE, { coinbase: true, height: height - 99 })], 49_000);
    const ripe = pay([chain.fund(50_000, ANYONE, { coinbase: true, height: height - 101 })], 49_000);
    const locked = pay([chain.fund(50_000)], 49_000, { locktime: height, sequence: 0xfffffffe });
    const open = pay([chain.fund(50_000)], 49_000, { locktime: height - 2, sequence: 0xfffffffe });
    const all = [young, ripe, locked, open];
    for (const tx of all) t.equal((await pool.accept(tx)).reject, null);
    if (byHand) {
      chain.invalidate([2]);
      for (let i = 0; i < 2; i++) chain.connect([]);
    } else {
      chain.reorg(2, [[], []]);
    }
    await pool.settled();
    t.same(
      all.map((tx) => pool.has(tx.txid)),
      byHand ? [false, true, false, true] : [true, true, true, true],
      `by hand: ${byHand}`,
    );
  }
});

t.test('a reorganisation applies the locks of its first better tip, although more blocks follow', async (t) => {
  for (const rest of [0, 1, 2]) {
    const { pool, chain } = createPool({ policy: NO_POLICY });
    for (let i = 0; i < 2; i++) chain.connect([]);
    const { height } = chain.tip;
    const ripe = pay([chain.fund(50_000, ANYONE, { coinbase: true, height: height - 99 })], 49_000);
    const young = pay([chain.fund(50_000, ANYONE, { coinbase: true, height: height - 98 })], 49_000);
    const locked = pay([chain.fund(50_000)], 49_000, { locktime: height + 1, sequence: 0xfffffffe });
    const parent = pay([chain.fund(50_000)], 49_000);
    const child = pay([outpointOf(parent, 0)], 48_000, { sequence: 1 });
    const confirmed = [ripe, parent];
    chain.connect(confirmed);
    for (const tx of [young, locked, child]) t.equal((await pool.accept(tx)).reject, null);
    // Three blocks are disconnected and two connected; the new branch may have more work.
    chain.reorg(3, [[], []]);
    for (let i = 0; i < rest; i++) chain.connect([]);
    await pool.settled();
    t.same(
      [...confirmed, young, locked, child].map((tx) => pool.get(tx.txid)?.height),
      [height, height, undefined, undefined, undefined],
      `${rest} on top`,
    );
  }
});

t.test('judges each of two overlapping reorganisations on its own tip', async (t) => {
  const outcomes: unknown[] = [];
  for (const together of [false, true]) {
    const { pool, chain } = createPool({ policy: NO_POLICY });
    const { height } = chain.tip;
    const parent = pay([chain.fund(50_000)], 49_000);
    const grown = pay([outpointOf(parent, 0)], 48_000, { sequence: 2 });
    const fresh = pay([chain.fund(50_000)], 49_000);
    const early = pay([outpointOf(fresh, 0)], 48_000, { sequence: 1 });
    chain.connect([parent]);
    chain.connect([fresh]);
    chain.connect([grown, early]);
    chain.reorg(1, [[]]);
    if (!together) await pool.settled();
    chain.reorg(2, [[], [], []]);
    await pool.settled();
    outcomes.push([parent, grown, fresh, early].map((tx) => pool.get(tx.txid)?.height));
    t.same(outcomes.at(-1), [undefined, height + 3, height + 4, undefined], `together: ${together}`);
  }
});

t.test('treats a reorganisation in several tip changes as one', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY });
  const { height } = chain.tip;
  const [first, second] = [1, 2].map(() => pay([chain.fund(50_000)], 49_000)) as [TxView, TxView];
  const locked = pay([chain.fund(50_000)], 49_000, { locktime: height, sequence: 0xfffffffe });
  chain.connect([first]);
  chain.connect([second, locked]);
  chain.reorg(1, []);
  chain.reorg(1, []);
  chain.reorg(0, [[]]);
  chain.connect([]);
  await pool.settled();
  t.same(
    [first, second, locked].map((tx) => pool.get(tx.txid)?.height),
    [height + 1, height + 1, height + 1],
  );
});

t.test('trims the lowest-paying members of a cluster that returned transactions make too large', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY, limitClusterCount: 5 });
  const wide = spend(
    crypto,
    [chain.fund(60_000)],
    Array.from({ length: 5 }, () => ({ value: 10_000, script: PADDED })),
  );
  chain.connect([wide]);
  const children = [9_000, 8_000, 9_500, 7_000, 9_900].map((value, i) => pay([outpointOf(wide, i)], value));
  // The child pays for its parent, which alone would be evicted first.
  const carrier = pay([outpointOf(children[4], 0)], 1_000);
  const lone = pay([chain.fund(20_000)], 10_000);
  for (const tx of [...children, carrier, lone]) t.equal((await pool.accept(tx)).reject, null);
  chain.reorg(1, [[]]);
  await pool.settled();
  t.same(
    [wide, ...children, carrier, lone].map((tx) => pool.has(tx.txid)),
    [true, false, true, false, true, true, true, true],
  );
  t.equal(pool.get(wide.txid)?.descendantCount, 5);
});

t.test('trims a cluster that invalidateblock makes too large', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY, limitClusterCount: 3 });
  const first = pay([chain.fund(50_000)], 49_000);
  const second = pay([outpointOf(first, 0)], 48_000);
  chain.connect([first]);
  chain.connect([second]);
  const third = pay([outpointOf(second, 0)], 40_000);
  const fourth = pay([outpointOf(third, 0)], 39_000);
  for (const tx of [third, fourth]) t.equal((await pool.accept(tx)).reject, null);
  chain.invalidate([2]);
  await pool.settled();
  t.same(
    [first, second, third, fourth].map((tx) => pool.has(tx.txid)),
    [true, true, true, false],
    'the last of the chain is behind all others',
  );
});

t.test('trims a cluster before it links transactions of a higher block to their parents', async (t) => {
  const { pool, chain } = createPool({ policy: NO_POLICY, limitClusterCount: 3 });
  const first = spend(
    crypto,
    [chain.fund(50_000)],
    [0, 1].map(() => ({ value: 24_000, script: PADDED })),
  );
  const second = pay([outpointOf(first, 0)], 23_000);
  chain.connect([first]);
  chain.connect([second]);
  // The transaction pays more than the ones that returned. So it stands before them in the cluster, although it spends
  // an output of the first.
  const rich = pay([outpointOf(first, 1)], 10_000);
  const last = pay([outpointOf(second, 0), outpointOf(rich, 0)], 32_500);
  for (const tx of [rich, last]) t.equal((await pool.accept(tx)).reject, null);
  chain.invalidate([2]);
  await pool.settled();
  t.same(
    [first, second, rich, last].map((tx) => pool.has(tx.txid)),
    [true, true, true, false],
  );
});

/** Makes a transaction that spends a coin and has three outputs. */
const payThree = (outpoint: Uint8Array): TxView =>
  spend(
    crypto,
    [outpoint],
    [0, 1, 2].map(() => ({ value: 10_000, script: PADDED })),
  );

t.test('counts transactions that a lower tip forbids in the cluster limit until their block leaves', async (t) => {
  for (const steps of [[2], [1, 1]]) {
    for (const kind of ['coinbase', 'lock time', 'relative lock', 'nothing']) {
      const { pool, chain } = createPool({ policy: NO_POLICY, limitClusterCount: 3 });
      const { height } = chain.tip;
      const early = pay([chain.fund(20_000)], 10_000);
      chain.connect([early]);
      const coin =
        kind === 'coinbase'
          ? chain.fund(10_000, ANYONE, { coinbase: true, height: height + 2 - 100 })
          : kind === 'relative lock'
            ? outpointOf(early, 0)
            : chain.fund(10_000);
      const locks = kind === 'lock time' ? { locktime: height + 1 } : kind === 'relative lock' ? { sequence: 1 } : {};
      const young = pay([coin], 5_000, locks);
      const wide = payThree(chain.fund(50_000));
      chain.connect([young, wide]);
      const bond = pay([outpointOf(young, 0), outpointOf(wide, 0)], 1_000);
      const poor = pay([outpointOf(wide, 1)], 9_000);
      for (const tx of [bond, poor]) t.equal((await pool.accept(tx)).reject, null);
      chain.invalidate(steps);
      await pool.settled();
      const stays = kind === 'nothing';
      t.same(
        [early, wide, young, bond, poor].map((tx) => pool.has(tx.txid)),
        [true, true, stays, stays, false],
        `${kind}, blocks per change: ${steps}`,
      );
    }
  }
});

t.test('invalidateblock removes what a tip forbids before the transactions of a lower block return', async (t) => {
  for (const steps of [[2], [1, 1]]) {
    const { pool, chain } = createPool({ policy: NO_POLICY, limitClusterCount: 3 });
    const { height } = chain.tip;
    const wide = payThree(chain.fund(50_000));
    chain.connect([wide]);
    chain.connect([]);
    const young = pay([outpointOf(wide, 0), chain.fund(10_000, ANYONE, { coinbase: true, height: height + 3 - 100 })], 1_000);
    const [rich, poor] = [pay([outpointOf(wide, 1)], 5_000), pay([outpointOf(wide, 2)], 9_000)] as [TxView, TxView];
    for (const tx of [young, rich, poor]) t.equal((await pool.accept(tx)).reject, null);
    chain.invalidate(steps);
    await pool.settled();
    t.same(
      [wide, young, rich, poor].map((tx) => pool.has(tx.txid)),
      [true, false, true, true],
      `blocks per change: ${steps}`,
    );
  }
});

t.test('after a jump of the tip, only transactions that still fit the chain return', async (t) => {
  const { pool, chain, clock } = createPool({ policy: NO_POLICY });
  const free = pay([chain.fund(50_000)], 49_000);
  const confirmed = pay([chain.fund(50_000)], 49_000);
  const child = pay([outpointOf(confirmed, 0)], 48_000);
  const contested = chain.fund(50_000);
  const loser = pay([contested], 49_000);
  const below = pay([outpointOf(loser, 0)], 48_000);
  for (const tx of [free, confirmed, child, loser, below]) t.equal((await pool.accept(tx)).reject, null);
  t.notOk(pool.outlasts({ connected: [], disconnected: [], jumpedFrom: chain.tip }), 'any of them may be in a skipped block');
  const enteredAt = clock.seconds;
  clock.seconds += 500;
  chain.jump([[confirmed], [pay([contested], 47_000)], []]);
  await until('the transactions returned', () => pool.has(free.txid) && pool.has(child.txid));
  t.equal(pool.size, 2);
  t.equal(pool.get(child.txid)?.ancestorCount, 1, 'its parent is confirmed');
  t.same([pool.get(free.txid)?.time, pool.get(child.txid)?.time], [enteredAt, enteredAt], 'the times of entry stay');
  t.equal(pool.spender(contested), undefined);
});
