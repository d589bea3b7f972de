// Tests blocks of the initial block download without the download engine: they are stored in any order of arrival, and
// connected in time slices, with the same chain, coins and verdicts as blocks that arrive in order.
import t from 'tap';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import type { BlockFiles } from '../../../src/storage/block-files.js';
import {
  ANYONE,
  type BlockPlan,
  type BuiltBlock,
  buildBlock,
  buildChain,
  GENESIS,
  NO_ONE,
  reward,
  spend,
  subsidy,
} from '../../framework/chain-builder.js';
import { allConnected, coinsOf, crypto, type Fixture, IN_DOWNLOAD, openFixture, TestClock } from '../../framework/chain-fixture.js';
import { type Tx, txid } from '../../framework/messages.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

const trunk = buildChain(GENESIS, 110);

/** Builds blocks that spend coins of the trunk, of other blocks, and of the same block. */
function payments(from: BuiltBlock, count: number, seed: number): BuiltBlock[] {
  const random = pseudoRandom(seed);
  const coins = trunk.slice(0, 10).map(reward);
  const blocks: BuiltBlock[] = [];
  for (let tip = from; blocks.length < count; ) {
    const txs: Tx[] = [];
    for (let i = 0; i < 3; i++) {
      const [coin] = coins.splice(Math.floor(random() * coins.length), 1);
      if (coin === undefined || coin.value < 10_000) break;
      const value = Math.floor(coin.value / 2);
      const tx = spend(
        [coin],
        [
          { value, script: ANYONE },
          { value, script: ANYONE },
        ],
      );
      txs.push(tx);
      // The first output may be spent in the same block.
      coins.push({ txid: txid(tx), index: 0, value }, { txid: txid(tx), index: 1, value });
    }
    tip = buildBlock(tip, { txs, tag: seed });
    blocks.push(tip);
  }
  return blocks;
}

async function start(): Promise<Fixture> {
  const fixture = await openFixture({ maxTipAge: IN_DOWNLOAD });
  for (const block of trunk) await fixture.chain.commands.submitBlock(block.bytes);
  return fixture;
}

/** Submits all blocks at once and waits until all are processed. */
async function take({ chain }: Fixture, blocks: readonly BuiltBlock[]): Promise<boolean[]> {
  const outcomes = await Promise.all(blocks.map(({ bytes }) => chain.commands.submitBlock(bytes)));
  await allConnected({ chain });
  return outcomes.map(({ isNew }) => isNew);
}

t.test('reaches the same tip and coins from blocks in any order', async (t) => {
  const blocks = payments(trunk[109]!, 60, 1);
  const plain = await start();
  for (const block of blocks) await plain.chain.commands.submitBlock(block.bytes);
  const coins = await coinsOf(plain);
  await plain.end();
  for (const seed of [1, 2, 3, 4]) {
    const random = pseudoRandom(seed);
    const fixture = await start();
    await fixture.chain.commands.submitHeaders(blocks.map(({ header }) => header));
    // In order for the first seed, and more and more shuffled for later ones.
    const order = blocks.map((block, i) => ({ block, at: i + random() * (seed - 1) * 20 })).sort((a, b) => a.at - b.at);
    for (let first = 0; first < order.length; first += 16) {
      await take(
        fixture,
        order.slice(first, first + 16).map(({ block }) => block),
      );
    }
    t.equal(fixture.chain.view.tip.hashHex, blocks[59]!.hashHex);
    t.same([...(await coinsOf(fixture))], [...coins]);
    t.same(await take(fixture, [blocks[3]!]), [false], 'a block twice is not new');
    t.ok(await fixture.chain.commands.verifyChain(4, 60));
    await fixture.end();
  }
});

t.test('rejects a block whose scripts fail when its parents are connected', async (t) => {
  const locked = spend([reward(trunk[0]!)], [{ value: reward(trunk[0]!).value, script: NO_ONE }]);
  const good = buildBlock(trunk[109]!, { txs: [locked] });
  const next = buildBlock(good);
  const theft = spend([{ txid: txid(locked), index: 0, value: 1 }], [{ value: 1, script: ANYONE }]);
  const bad = buildBlock(next, { txs: [theft] });
  const after = buildChain(bad, 3);
  const fixture = await start();
  const { chain } = fixture;
  const verdicts: string[] = [];
  chain.events.checked.add((hash, _block, reject) =>
    verdicts.push(`${Buffer.from(hash).reverse().toString('hex').slice(0, 8)} ${reject?.reason ?? 'good'}`),
  );
  await chain.commands.submitHeaders([good, next, bad, ...after].map(({ header }) => header));
  await take(fixture, [good, next, bad, ...after]);
  t.equal(chain.view.tip.hashHex, next.hashHex);
  t.same(verdicts, [
    `${good.hashHex.slice(0, 8)} good`,
    `${next.hashHex.slice(0, 8)} good`,
    `${bad.hashHex.slice(0, 8)} block-validation-failed`,
  ]);
  t.ok(chain.view.node(after[2]!.hash)!.failed);
  await fixture.end();
});

t.test('rejects blocks with a missing coin or a wrong merkle root', async (t) => {
  const fixture = await start();
  const { chain } = fixture;
  const lacks = buildBlock(trunk[109]!, {
    txs: [spend([{ txid: Buffer.alloc(32, 9), index: 0, value: 1 }], [{ value: 1, script: ANYONE }])],
  });
  const rules: (string | undefined)[] = [];
  chain.events.checked.add((_hash, _block, reject) => rules.push(reject?.reason));
  await chain.commands.submitHeader(lacks.header);
  await take(fixture, [lacks, buildBlock(trunk[109]!, { breakMerkle: true })]);
  t.same(rules.sort(), ['bad-txnmrklroot', 'bad-txns-inputs-missingorspent']);
  t.equal(chain.view.tip.hashHex, trunk[109]!.hashHex);
  await fixture.end();
});

t.test('rejects a spend of an unspendable output in an earlier pending block', async (t) => {
  const source = reward(trunk[0]!);
  const burns = spend([source], [{ value: 1, script: Buffer.from('6a', 'hex') }]);
  const good = buildBlock(trunk[109]!, { txs: [burns], fees: source.value - 1 });
  const bad = buildBlock(good, { txs: [spend([{ txid: txid(burns), index: 0, value: 1 }], [{ value: 1, script: ANYONE }])] });
  const fixture = await start();
  const { chain } = fixture;
  const rules: (string | undefined)[] = [];
  chain.events.checked.add((_hash, _block, reject) => rules.push(reject?.reason));
  await chain.commands.submitHeaders([good.header, bad.header]);
  await take(fixture, [good, bad]);
  t.same(rules, [undefined, 'bad-txns-inputs-missingorspent']);
  t.equal(chain.view.tip.hashHex, good.hashHex);
  await fixture.end();
});

/** Makes all coinbases equal, whatever the subsidy is at their height. */
const sameCoinbase = (prev: BuiltBlock): BlockPlan => ({
  coinbaseHeight: 7,
  commitment: false,
  tag: 9,
  fees: 1_000 - subsidy(prev.height + 1),
});

t.test('finds a duplicate of an unspent coinbase in the database, in memory and in pending blocks', async (t) => {
  const first = buildBlock(trunk[109]!, sameCoinbase(trunk[109]!));
  for (const written of [false, true]) {
    for (const between of [0, 1, 60, 250]) {
      const rest = [first, ...buildChain(first, between)];
      const twin = buildBlock(rest.at(-1)!, { ...sameCoinbase(rest.at(-1)!), txs: payments(first, 1, 4)[0]!.txs.slice(1) });
      t.same(twin.txids[0], first.txids[0]);
      const fixture = await start();
      const { chain } = fixture;
      // Either the first block is written and no coins are in memory, or both blocks are submitted together.
      if (written) {
        await chain.commands.submitBlock(first.bytes);
        await chain.commands.flush();
        chain.view.coins.budgetBytes = 0;
        for (let forgotten = 1; forgotten > 0; ) forgotten = chain.view.coins.evict();
      }
      const blocks = [...(written ? rest.slice(1) : rest), twin];
      const rules: string[] = [];
      chain.events.checked.add((_hash, _block, reject) => {
        if (reject !== null) rules.push(reject.reason);
      });
      await chain.commands.submitHeaders(blocks.map(({ header }) => header));
      await take(fixture, blocks);
      t.same(rules, ['bad-txns-BIP30'], `written: ${written}, ${between} blocks between`);
      t.equal(chain.view.tip.hashHex, rest.at(-1)!.hashHex);
      await fixture.end();
    }
  }
});

t.test('accepts a duplicate of a coinbase whose output was spent', async (t) => {
  const first = buildBlock(trunk[109]!, sameCoinbase(trunk[109]!));
  const ripe = buildChain(first, 100);
  const coin = reward(first);
  const spending = buildBlock(ripe.at(-1)!, { txs: [spend([coin], [{ value: coin.value, script: ANYONE }])] });
  const twin = buildBlock(spending, sameCoinbase(spending));
  t.same(twin.txids[0], first.txids[0]);
  const blocks = [first, ...ripe, spending, twin, ...buildChain(twin, 3)];
  const plain = await start();
  for (const block of blocks) await plain.chain.commands.submitBlock(block.bytes);
  const fixture = await start();
  await fixture.chain.commands.submitHeaders(blocks.map(({ header }) => header));
  await take(fixture, blocks);
  t.equal(fixture.chain.view.tip.hashHex, blocks.at(-1)!.hashHex);
  t.same([...(await coinsOf(fixture))], [...(await coinsOf(plain))]);
  await plain.end();
  await fixture.end();
});

t.test('switches to a longer branch while blocks of two branches arrive', async (t) => {
  const one = payments(trunk[109]!, 20, 5);
  const two = payments(trunk[109]!, 30, 6);
  const fixture = await start();
  await fixture.chain.commands.submitHeaders([...one, ...two].map(({ header }) => header));
  await take(fixture, [...one.slice(0, 12), ...two.slice(0, 8), ...one.slice(12), ...two.slice(8)]);
  t.equal(fixture.chain.view.tip.hashHex, two[29]!.hashHex);
  const plain = await start();
  for (const block of two) await plain.chain.commands.submitBlock(block.bytes);
  t.same([...(await coinsOf(fixture))], [...(await coinsOf(plain))]);
  await plain.end();
  await fixture.end();
});

t.test('verifies skipped scripts once the assumed-valid block no longer covers them', async (t) => {
  const locked = spend([reward(trunk[0]!)], [{ value: reward(trunk[0]!).value, script: NO_ONE }]);
  const good = buildBlock(trunk[109]!, { txs: [locked] });
  const theft = spend([{ txid: txid(locked), index: 0, value: 1 }], [{ value: 1, script: ANYONE }]);
  const bad = buildBlock(good, { txs: [theft] });
  const after = buildChain(bad, 2_030);
  const rival = buildChain(trunk[109]!, 2_040, { tag: 7 });
  const run = async (withRival: boolean): Promise<string> => {
    const fixture = await openFixture({ maxTipAge: IN_DOWNLOAD, assumeValid: after[0]!.hashHex });
    const { chain } = fixture;
    for (const block of trunk) await chain.commands.submitBlock(block.bytes);
    await chain.commands.submitHeaders([good, bad, ...after].map(({ header }) => header));
    await take(fixture, [good]);
    if (withRival) await chain.commands.submitHeaders(rival.map(({ header }) => header));
    await take(fixture, [bad, after[0]!]);
    const { hashHex } = chain.view.tip;
    await fixture.end();
    return hashHex;
  };
  t.equal(await run(false), after[0]!.hashHex, 'it spares them');
  t.equal(await run(true), good.hashHex);
});

t.test('reads each stored block twice at most while it switches branches', async (t) => {
  const one = buildChain(trunk[109]!, 10);
  const two = buildChain(trunk[109]!, 20, { tag: 9 });
  const first = await start();
  for (const block of [...one, ...two]) await first.chain.commands.submitBlock(block.bytes);
  await first.chain.commands.invalidateBlock(first.chain.view.node(two[0]!.hash)!);
  t.equal(first.chain.view.tip.hashHex, one[9]!.hashHex);
  await first.chain.close();
  const reads = new Map<string, number>();
  const wrapFiles = (files: BlockFiles): BlockFiles => {
    const readBlock = files.readBlock.bind(files);
    files.readBlock = (at) => {
      const key = `${at.file}:${at.pos}`;
      reads.set(key, (reads.get(key) ?? 0) + 1);
      return readBlock(at);
    };
    return files;
  };
  const again = await openFixture({ maxTipAge: IN_DOWNLOAD, store: first.store, dir: first.dir, wrapFiles });
  await again.chain.commands.reconsiderBlock(again.chain.view.node(two[0]!.hash)!);
  t.equal(again.chain.view.tip.hashHex, two[19]!.hashHex);
  t.ok(reads.size >= 20);
  t.ok(Math.max(...reads.values()) <= 2, `one block was read ${Math.max(...reads.values())} times`);
  await again.end();
});

t.test('treats a shutdown during the download as no fault, and keeps connected blocks', async (t) => {
  const blocks = buildChain(trunk[109]!, 40);
  const stopping = new AbortController();
  const fixture = await openFixture({ maxTipAge: IN_DOWNLOAD, deps: { stopping: stopping.signal } });
  const { chain } = fixture;
  for (const block of trunk) await chain.commands.submitBlock(block.bytes);
  await chain.commands.submitHeaders(blocks.map(({ header }) => header));
  const taken = Promise.allSettled(blocks.map(({ bytes }) => chain.commands.submitBlock(bytes)));
  stopping.abort();
  await chain.close();
  const ends = await taken;
  t.ok(
    ends.some(({ status }) => status === 'rejected'),
    'the chain was closed before they were stored',
  );
  t.same(fixture.faults, []);
  t.equal(chain.fault, null);
  const again = await openFixture({ maxTipAge: IN_DOWNLOAD, store: fixture.store, dir: fixture.dir });
  t.ok(again.chain.view.tip.height >= 110, 'what was connected is there');
  await again.end();
});

t.test('does not connect all waiting blocks in one time slice when a stored block arrives again', async (t) => {
  /** A clock on which each reading ends a time slice. */
  class LeapingClock extends TestClock {
    #nowMs = 0;
    override monotonicMs(): number {
      this.#nowMs += 100;
      return this.#nowMs;
    }
  }
  const fixture = await openFixture({ maxTipAge: IN_DOWNLOAD, clock: new LeapingClock() });
  t.teardown(() => fixture.end());
  const { chain } = fixture;
  for (const block of trunk) await chain.commands.submitBlock(block.bytes);
  const waiting = buildChain(trunk.at(-1)!, 20);
  await chain.commands.submitHeaders(waiting.map(({ header }) => header));
  const view = (block: BuiltBlock) => parseBlock(new Uint8Array(block.bytes), crypto);
  for (const block of [...waiting.slice(1), waiting[0]!]) await chain.commands.submitBlock(view(block));
  const { kind } = await chain.commands.submitBlock(view(waiting[9]!), { force: false });
  t.equal(kind, 'duplicate');
  t.ok(chain.view.tip.height < 115, `stands at ${chain.view.tip.height}`);
  await allConnected({ chain });
  t.equal(chain.view.tip.height, 130);
});
