import t, { type Test } from 'tap';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { filterHash, filterHeader, filterKey } from '../../../src/filters/basic-filter.js';
import { matchesAny } from '../../../src/filters/gcs.js';
import { Indexes } from '../../../src/indexes/indexes.js';
import { ListenerGuard } from '../../../src/lib/listener-guard.js';
import { silentLogger } from '../../../src/log/logger.js';
import { PREFIX } from '../../../src/storage/layout.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp } from '../../../src/storage/store.js';
import { StoreError } from '../../../src/storage/store-error.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, outpoint, reward, spend } from '../../framework/chain-builder.js';
import { crypto, type Fixture, IN_DOWNLOAD, openFixture, temporaryFolder } from '../../framework/chain-fixture.js';
import { coinsStats } from '../../framework/coins-stats.js';
import { hex } from '../../framework/hex.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

const OP_RETURN = Buffer.from([0x6a, 1, 7]);
const all = { tx: true, spenders: true, filters: true, coinStats: true };

function openIndexes(fixture: Fixture, faults: Error[] = [], lines: string[] = [], guard = new ListenerGuard(silentLogger)): Indexes {
  const { chain, store, clock } = fixture;
  const log = { ...silentLogger, info: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) };
  const indexes = new Indexes(all, { chain, store, hashes: crypto, clock, log, guard, onFault: (fault) => faults.push(fault) });
  chain.events.tip.add(() => indexes.notifyTipChanged());
  chain.events.history.add(() => indexes.notifyTipChanged());
  indexes.start();
  return indexes;
}

/** Waits until all of them were at the tip once, or failed. */
async function built(indexes: Indexes, faults: readonly Error[] = []): Promise<void> {
  while (faults.length === 0) {
    if ((await Promise.all(indexes.list.map((index) => index.waitUntilSynced()))).every(Boolean)) return;
    await new Promise((r) => setImmediate(r));
  }
}

/** 110 blocks to ripen, then some that spend; the last one burns a coin and leaves part of its reward. */
function plainChain(tag = 0): BuiltBlock[] {
  const blocks = buildChain(GENESIS, 110, { tag });
  for (let i = 0; i < 6; i++) {
    const coin = reward(blocks[i]!);
    const tx = spend(
      [coin],
      [
        { value: coin.value - 3_000, script: Buffer.from([0x51, 0x75, 0x51, i]) },
        { value: 1_000, script: i === 5 ? OP_RETURN : ANYONE },
      ],
    );
    blocks.push(buildBlock(blocks.at(-1)!, { tag, txs: [tx], fees: i === 5 ? -700 : 2_000 }));
  }
  return blocks;
}

async function submitAll(fixture: Fixture, blocks: readonly BuiltBlock[]): Promise<void> {
  for (const block of blocks) {
    const outcome = await fixture.chain.commands.submitBlock(new Uint8Array(block.bytes));
    if (outcome.kind === 'invalid') throw new Error(outcome.reject?.reason);
  }
}

/** Everything the indexes must know about the active chain. */
async function checkAll(t: Test, fixture: Fixture, indexes: Indexes, blocks: readonly BuiltBlock[]): Promise<void> {
  const { chain } = fixture;
  const tip = chain.view.tip;
  t.equal(tip.hashHex, blocks.at(-1)!.hashHex);
  for (const { index, follower } of [indexes.tx!, indexes.spenders!, indexes.filters!, indexes.coinStats!]) {
    t.ok(await follower.waitUntilSynced(), index.name);
    t.equal(follower.height, tip.height);
  }
  let header: Uint8Array = new Uint8Array(32);
  const wrong: string[] = [];
  const genesis = await indexes.filters!.index.find(chain.view.genesis.hash);
  header = filterHeader(filterHash(genesis!.filter, crypto), header, crypto);
  if (hex(header) !== hex(genesis!.header)) wrong.push('filter header of genesis');
  for (const block of blocks) {
    for (const [i, txid] of block.txids.entries()) {
      const found = await indexes.tx!.index.find(new Uint8Array(txid));
      if (found === undefined || hex(found.blockHash) !== hex(block.hash)) wrong.push(`tx ${i} of ${block.height}`);
      else if (hex(found.tx.txid) !== hex(txid)) wrong.push(`bytes of tx ${i} of ${block.height}`);
    }
    for (const [i, tx] of block.txs.entries()) {
      for (const input of i === 0 ? [] : tx.ins) {
        const found = await indexes.spenders!.index.find(outpoint(input.txid, input.index));
        if (found === undefined || hex(found.blockHash) !== hex(block.hash)) wrong.push(`spender in ${block.height}`);
        else if (hex(found.tx.txid) !== hex(block.txids[i]!)) wrong.push(`another spender in ${block.height}`);
      }
      const last = outpoint(block.txids[i]!, tx.outs.length - 1);
      const spender = await indexes.spenders!.index.find(last);
      const spentIn = blocks.find(({ txs }) => txs.some(({ ins }) => ins.some((one) => hex(outpoint(one.txid, one.index)) === hex(last))));
      if ((spender === undefined) !== (spentIn === undefined)) wrong.push(`last output of ${i} in ${block.height}`);
    }
    const filter = await indexes.filters!.index.find(new Uint8Array(block.hash));
    if (filter === undefined) {
      wrong.push(`filter of ${block.height}`);
      continue;
    }
    header = filterHeader(filterHash(filter.filter, crypto), header, crypto);
    if (hex(header) !== hex(filter.header)) wrong.push(`filter header of ${block.height}`);
    for (const tx of block.txs) {
      for (const { script } of tx.outs) {
        if (script[0] !== 0x6a && !matchesAny(filter.filter, filterKey(new Uint8Array(block.hash)), [script]))
          wrong.push(`filter ${block.height}`);
      }
    }
  }
  t.same(wrong, []);
  const figures = await indexes.coinStats!.index.find(tip);
  const walk = await coinsStats(chain, { hashSerialized: null, muhash: true });
  t.equal(hex(figures!.muhash), hex(walk.muhash!), 'MuHash of index and walk');
  t.same(
    { outputs: figures!.totals.outputs, bogoSize: figures!.totals.bogoSize, amount: Number(figures!.totals.amount) },
    { outputs: walk.outputs, bogoSize: walk.bogoSize, amount: walk.totalSats },
  );
  // Whatever was ever created is a coin, was spent, or is lost.
  const { totals } = figures!;
  t.equal(totals.subsidy + totals.prevoutSpent, totals.newOutputsExCoinbase + totals.coinbase + totals.unspendable);
  t.equal(totals.unspendable, totals.unspendableGenesis + totals.unspendableBip30 + totals.unspendableScripts + totals.unclaimedRewards);
}

t.test('builds all indexes from the stored blocks, then follows each new block', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const blocks = plainChain();
  await submitAll(fixture, blocks.slice(0, 60));
  const lines: string[] = [];
  const indexes = openIndexes(fixture, [], lines);
  t.equal(indexes.tx!.follower.synced, false);
  t.equal(await indexes.tx!.follower.waitUntilSynced(), false, 'calls do not wait for an index that is being built');
  await built(indexes);
  t.same(
    lines.sort(),
    ['basic block filter index', 'coinstatsindex', 'txindex', 'txospenderindex'].map((name) => `${name} is enabled at height 60`),
  );
  await submitAll(fixture, blocks.slice(60));
  await checkAll(t, fixture, indexes, blocks);
  t.equal(await indexes.tx!.index.find(fixture.chain.view.genesis.merkleRoot), undefined, 'the first coinbase is no transaction');
  const last = (await indexes.coinStats!.index.find(fixture.chain.view.tip))!;
  t.same(
    {
      genesis: last.totals.unspendableGenesis,
      scripts: last.totals.unspendableScripts - last.before.unspendableScripts,
      // 700 not claimed, and the 2,000 of fees in addition.
      unclaimed: last.totals.unclaimedRewards - last.before.unclaimedRewards,
      spent: last.totals.prevoutSpent - last.before.prevoutSpent,
      coinbase: last.totals.coinbase - last.before.coinbase,
    },
    { genesis: 5_000_000_000n, scripts: 1_000n, unclaimed: 2_700n, spent: 5_000_000_000n, coinbase: 4_999_999_300n },
  );
  await indexes.stop();
});

t.test('indexes follow reorganisations and blocks that invalidateblock disconnects', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const blocks = plainChain();
  const indexes = openIndexes(fixture);
  await submitAll(fixture, blocks);
  await built(indexes);
  const fork = blocks.slice(0, 112);
  const coin = reward(blocks[8]!);
  const moved = spend([coin], [{ value: coin.value, script: ANYONE }]);
  const branch = [buildBlock(fork.at(-1)!, { tag: 5, txs: [moved] })];
  for (let i = 0; i < 8; i++) branch.push(buildBlock(branch.at(-1)!, { tag: 5 }));
  await submitAll(fixture, branch);
  await checkAll(t, fixture, indexes, [...fork, ...branch]);
  const stale = blocks[113]!;
  t.equal(
    hex((await indexes.tx!.index.find(new Uint8Array(stale.txids[1]!)))!.blockHash),
    hex(stale.hash),
    'found in the block that contained it last',
  );
  t.ok(await indexes.filters!.index.find(new Uint8Array(stale.hash)), 'the filter of a stale block stays');

  const node = fixture.chain.view.node(branch[2]!.hashHex)!;
  await fixture.chain.commands.invalidateBlock(node);
  t.equal(fixture.chain.view.tip.hashHex, blocks.at(-1)!.hashHex, 'back on the first branch');
  await checkAll(t, fixture, indexes, blocks);
  await fixture.chain.commands.reconsiderBlock(node);
  await checkAll(t, fixture, indexes, [...fork, ...branch]);
  const below = fixture.chain.view.node(fork[100]!.hashHex)!;
  await fixture.chain.commands.invalidateBlock(below);
  t.ok(await indexes.tx!.follower.waitUntilSynced(), 'an index above the tip counts as synced');
  await fixture.chain.commands.reconsiderBlock(below);
  await checkAll(t, fixture, indexes, [...fork, ...branch]);
  await indexes.stop();
});

t.test('reads filter hashes and headers from either the short row or the long row', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const indexes = openIndexes(fixture);
  const blocks = buildChain(GENESIS, 5);
  await submitAll(fixture, blocks);
  await built(indexes);
  const { index } = indexes.filters!;
  const hashes = blocks.map(({ hash }) => new Uint8Array(hash));
  const store = fixture.store as MemoryStore;
  const expected = await Promise.all(
    hashes.map(async (hash) => {
      const { filter, header } = (await index.find(hash))!;
      return { hash: hex(filterHash(filter, crypto)), header: hex(header) };
    }),
  );
  const headsOf = async () => (await index.heads(hashes)).map((head) => head && { hash: hex(head.hash), header: hex(head.header) });
  // 'g', 80 and the hash of the block: without the long row, then without the short one.
  const long = (hash: Uint8Array): Uint8Array => Uint8Array.of(0x67, 0, ...hash);
  const short = (hash: Uint8Array): Uint8Array => Uint8Array.of(0x67, 0x80, ...hash);
  const [first, second, third] = hashes as [Uint8Array, Uint8Array, Uint8Array];
  await store.batch([
    { type: 'del', key: long(first) },
    { type: 'del', key: short(second) },
  ]);
  t.same(await headsOf(), expected);
  await store.batch([
    { type: 'del', key: long(third) },
    { type: 'del', key: short(third) },
  ]);
  t.same(await headsOf(), [expected[0], expected[1], undefined, expected[3], expected[4]]);
  await indexes.stop();
});

/** A store that stops taking writes after some of them, as if the process had died. */
class DyingStore extends MemoryStore {
  left = Number.POSITIVE_INFINITY;
  override async batch(ops: readonly BatchOp[]): Promise<void> {
    if (this.left <= 0) throw new StoreError('STORE_IO', 'dead');
    this.left--;
    return super.batch(ops);
  }
}

async function rowsOf(store: MemoryStore): Promise<string[]> {
  const rows: string[] = [];
  for await (const [key, value] of store.iterate()) {
    if ([PREFIX.txIndex, PREFIX.filterIndex, PREFIX.coinStats].includes(key[0] as never)) {
      // Where a block lies depends on what was stored twice on the way.
      rows.push(key[0] === PREFIX.txIndex ? `${hex(key)}=` : `${hex(key)}=${hex(value)}`);
    }
  }
  return rows;
}

t.test('ends with the same rows when the process dies at any write and starts again', async (t) => {
  const random = pseudoRandom(3);
  const blocks = plainChain();
  const branch = buildChain(blocks[112]!, 5, { tag: 9 });
  for (const maxTipAge of [1_000_000_000, IN_DOWNLOAD]) {
    // The rows that a node which never died ends with.
    const calm = await openFixture({ maxTipAge });
    const calmIndexes = openIndexes(calm);
    await submitAll(calm, blocks);
    await built(calmIndexes);
    await submitAll(calm, branch);
    await built(calmIndexes);
    await checkAll(t, calm, calmIndexes, [...blocks.slice(0, 113), ...branch]);
    await calmIndexes.stop();

    const store = new DyingStore();
    const dir = temporaryFolder();
    const todo = [...blocks, ...branch];
    let deaths = 0;
    for (;;) {
      store.left = Number.POSITIVE_INFINITY;
      const fixture = await openFixture({ store, dir, maxTipAge });
      const faults: Error[] = [];
      const indexes = openIndexes(fixture, faults);
      const known = todo.filter((block) => fixture.chain.view.node(block.hashHex) !== undefined).length;
      if (known === todo.length && deaths > 5) {
        await built(indexes);
        await checkAll(t, fixture, indexes, [...blocks.slice(0, 113), ...branch]);
        await indexes.stop();
        // The stale branch's rows may or may not have been made, depending on when it died; the active chain's are
        // equal.
        const rows = new Set(await rowsOf(store));
        const missing = (await rowsOf(calm.store as MemoryStore)).filter((row) => !rows.has(row));
        const stale = new Set(blocks.slice(113).flatMap((block) => [hex(block.hash), ...block.txids.map(hex)]));
        t.same(
          missing.filter((row) => ![...stale].some((id) => row.split('=')[0]!.includes(id))),
          [],
        );
        await fixture.end();
        break;
      }
      const some = todo.slice(known, known + 1 + Math.floor(random() * 30));
      store.left = 1 + Math.floor(random() * 40);
      await submitAll(fixture, some).catch(() => {});
      await built(indexes, faults);
      store.left = 0;
      deaths++;
      await indexes.stop();
      await fixture.chain.close();
    }
    t.ok(deaths > 5, `${deaths} deaths`);
    await calm.end();
  }
});

t.test('rebuilds an index whose last block is unknown', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const blocks = buildChain(GENESIS, 12);
  await submitAll(fixture, blocks);
  const junk = new Uint8Array(32 + 768).fill(1);
  await fixture.store.batch([
    { type: 'put', key: Buffer.concat([Buffer.from('I'), Buffer.from('txindex')]), value: junk.subarray(0, 32) },
    {
      type: 'put',
      key: Buffer.concat([Buffer.from('I'), Buffer.from('coinstatsindex')]),
      value: Buffer.concat([blocks[3]!.hash, Buffer.alloc(768)]),
    },
  ]);
  const lines: string[] = [];
  const indexes = openIndexes(fixture, [], lines);
  await built(indexes);
  t.equal(lines.filter((line) => line.includes('again from the genesis block')).length, 2);
  await checkAll(t, fixture, indexes, blocks);
  await indexes.stop();
});

t.test('leaves a stale branch after a restart without rebuilding the index', async (t) => {
  const blocks = plainChain();
  const fixture = await openFixture();
  const { store, dir } = fixture;
  await submitAll(fixture, blocks);
  const indexes = openIndexes(fixture);
  await built(indexes);
  await indexes.stop();
  const branch = buildChain(blocks[112]!, 5, { tag: 9 });
  await submitAll(fixture, branch);
  await fixture.chain.close();
  const again = await openFixture({ store, dir });
  const faults: Error[] = [];
  const lines: string[] = [];
  const restarted = openIndexes(again, faults, lines);
  await built(restarted, faults);
  t.same(faults, []);
  t.notMatch(lines.join('\n'), /again from the genesis block/);
  await checkAll(t, again, restarted, [...blocks.slice(0, 113), ...branch]);
  await restarted.stop();
  await again.end();
});

t.test('reports faults and stays unsynced when the store fails', async (t) => {
  const store = new DyingStore();
  const fixture = await openFixture({ store });
  t.teardown(() => fixture.end());
  const faults: Error[] = [];
  await submitAll(fixture, buildChain(GENESIS, 5));
  store.left = 0;
  const indexes = openIndexes(fixture, faults);
  while (faults.length < 3) await new Promise((r) => setImmediate(r));
  t.match(faults[0], { message: 'dead' });
  t.equal(await indexes.tx!.follower.waitUntilSynced(), false, 'calls do not wait for a failed index');
  store.left = Number.POSITIVE_INFINITY;
  await indexes.stop();
});

t.test('continues from the last written block after a failure outside the storage', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const blocks = buildChain(GENESIS, 5);
  await submitAll(fixture, blocks.slice(0, 3));
  const faults: Error[] = [];
  const guard = new ListenerGuard(silentLogger);
  const indexes = openIndexes(fixture, faults, [], guard);
  t.teardown(() => indexes.stop());
  await built(indexes, faults);
  const kept = indexes.tx!;
  const { connect } = kept.index;
  kept.index.connect = async () => {
    throw new Error('a bug');
  };
  await submitAll(fixture, blocks.slice(3, 4));
  while (guard.failures.get(kept.follower.name) !== 1) await new Promise((r) => setImmediate(r));
  t.equal(kept.follower.synced, false);
  t.equal(await kept.follower.waitUntilSynced(), false, 'no call waits for it');
  kept.index.connect = connect;
  await submitAll(fixture, blocks.slice(4));
  await built(indexes, faults);
  t.equal(kept.follower.height, 5);
  for (const { txids } of [blocks[3]!, blocks[4]!]) t.ok(await kept.index.find(txids[0]!));
  t.same(faults, [], 'the node goes on');
});

t.test('txindex finds the same transaction bytes as the block contains', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const blocks = plainChain(4);
  await submitAll(fixture, blocks);
  const indexes = openIndexes(fixture);
  await built(indexes);
  for (const block of blocks.slice(-6)) {
    for (const tx of parseBlock(new Uint8Array(block.bytes), crypto).txs) {
      t.equal(hex((await indexes.tx!.index.find(tx.txid))!.tx.bytes), hex(tx.bytes));
    }
  }
  await indexes.stop();
});
