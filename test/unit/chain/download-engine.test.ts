// Tests how the node uses the download engine: which blocks it passes to it, checkpoints, jumps of the tip, and the
// cases in which ordinary code takes over. A simulated engine connects the blocks.
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Chain } from '../../../src/chain/chain.js';
import type { TipChange } from '../../../src/chain/events.js';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import type { EngineOptions } from '../../../src/engine/engine.js';
import { silentLogger } from '../../../src/log/logger.js';
import type { BlockFiles } from '../../../src/storage/block-files.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { Batch, BatchOptions } from '../../../src/storage/store.js';
import { StoreError } from '../../../src/storage/store-error.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, NO_ONE, reward, spend } from '../../framework/chain-builder.js';
import { coinsOf, crypto, type Fixture, type FixtureOptions, IN_DOWNLOAD, openFixture, TestClock } from '../../framework/chain-fixture.js';
import { EngineStandIn, type StandInPlan } from '../../framework/engine-stand-in.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { until } from '../../framework/until.js';

const ASSUMED_HEIGHT = 160;
/** One day between two blocks, so that few blocks bury the assumed-valid block by the necessary two weeks. */
const params = { ...chainParams('regtest'), powTargetSpacing: 24 * 60 * 60 };
const BURIED = 20;

/**
 * Builds blocks with spends, followed by empty ones. The scripts of some spends fail, so these blocks are valid only
 * with -assumevalid.
 */
function story(): BuiltBlock[] {
  const blocks = buildChain(GENESIS, 104, { script: NO_ONE });
  for (let i = 0; blocks.length < ASSUMED_HEIGHT + 5; i++) {
    const below = blocks.length < ASSUMED_HEIGHT;
    const coin = reward(blocks[i]!);
    const outs = [0, 1, 2].map((k) => ({ value: 1_000 + k, script: ANYONE }));
    const fees = coin.value - 3_003;
    blocks.push(buildBlock(blocks.at(-1)!, below && i % 2 === 0 ? { txs: [spend([coin], outs)], fees } : {}));
  }
  return blocks;
}

const blocks = story();
const headers = [...blocks, ...buildChain(blocks.at(-1)!, BURIED)].map(({ header }) => new Uint8Array(header));
const assumeValid = blocks[ASSUMED_HEIGHT - 1]!.hashHex;
const last = blocks.at(-1)!;

interface World extends Fixture {
  readonly engines: EngineStandIn[];
  readonly changes: TipChange[];
  /** Passes a block as the network does. */
  give(block: BuiltBlock, raw?: boolean, sender?: object): Promise<boolean>;
}

async function open(plan: StandInPlan | null = {}, options: FixtureOptions = {}): Promise<World> {
  const engines: EngineStandIn[] = [];
  let chain: Chain | undefined;
  const startEngine = async (given: EngineOptions): Promise<EngineStandIn> => {
    const engine = new EngineStandIn(given, () => chain!, plan ?? {});
    engines.push(engine);
    return engine;
  };
  const engine = plan === null ? null : { threads: 2, leastBlocks: 25, stopHeight: Number.POSITIVE_INFINITY, forbidden: null };
  const fixture = await openFixture({
    maxTipAge: IN_DOWNLOAD,
    assumeValid,
    engine,
    ...options,
    deps: { params, startEngine, ...options.deps },
  });
  chain = fixture.chain;
  const changes: TipChange[] = [];
  fixture.chain.events.tip.add((_tip, change) => changes.push(change));
  const give = async (block: BuiltBlock, raw = true, sender: object = changes): Promise<boolean> => {
    const bytes = new Uint8Array(block.bytes);
    const node = fixture.chain.view.node(new Uint8Array(block.hash))!;
    const taken = raw ? fixture.chain.download.takeBytes(node, bytes, sender) : null;
    if (taken !== null && (await taken.stored)) return true;
    return (await fixture.chain.commands.submitBlock(parseBlock(bytes, crypto))).isNew;
  };
  return { ...fixture, engines, changes, give };
}

const tipAt = (world: World, height: number): Promise<unknown> =>
  until(`height ${height}`, async () => world.chain.view.tip.height === height);

/** Coins and undo data of a node without the engine. */
let expected: { coins: Map<string, string>; undo: string[] };

async function undoOf({ chain }: Fixture, upTo: number): Promise<string[]> {
  const found: string[] = [];
  for (let height = 1; height <= upTo; height++) {
    const spent = await chain.blocks.readUndo(chain.view.atHeight(height)!);
    found.push(
      JSON.stringify(
        spent.map((coins) => coins.map((coin) => [coin.value, coin.height, coin.coinbase, Buffer.from(coin.script).toString('hex')])),
      ),
    );
  }
  return found;
}

t.before(async () => {
  const world = await open(null);
  await world.chain.commands.submitHeaders(headers);
  await Promise.all(blocks.map((block) => world.give(block)));
  await tipAt(world, last.height);
  t.equal(world.engines.length, 0);
  expected = { coins: await coinsOf(world), undo: await undoOf(world, last.height) };
  await world.end();
});

async function assertSame(t: Test, world: Fixture): Promise<void> {
  t.same(await coinsOf(world), expected.coins);
  t.same(await undoOf(world, last.height), expected.undo);
  t.ok(await world.chain.commands.verifyChain(3, 0));
}

for (const raw of [true, false]) {
  t.test(`connects blocks that arrive in any order, ${raw ? 'as bytes' : 'from the files'}`, async (t) => {
    const world = await open();
    await world.chain.commands.submitHeaders(headers);
    await until('the engine', async () => world.engines.length === 1);
    const random = pseudoRandom(7);
    const shuffled = blocks.map((block) => ({ block, at: block.height + 30 * random() })).sort((a, b) => a.at - b.at);
    const given = shuffled.map(({ block }) => world.give(block, raw));
    await Promise.all(given);
    await tipAt(world, last.height);
    t.equal(world.engines.length, 1);
    t.same(
      world.engines[0]!.offered,
      Array.from({ length: last.height }, (_, i) => i + 1),
      'all blocks',
    );
    await until('the end of the engine', async () => world.engines[0]!.closed);
    const jumps = world.changes.filter(({ jumpedFrom }) => jumpedFrom !== undefined);
    t.ok(jumps.length >= 1);
    t.equal(jumps[0]!.jumpedFrom!.height, 0);
    t.equal(
      world.changes.reduce((sum, { connected }) => sum + connected.length, 0),
      0,
    );
    t.equal(world.changes.at(-1)!.moreFollows, false);
    await assertSame(t, world);
    await world.end();
  });
}

t.test('writes a checkpoint while a block is missing, and continues when it comes', async (t) => {
  const world = await open();
  await world.chain.commands.submitHeaders(headers);
  const early = blocks.slice(0, 120).map((block) => world.give(block));
  await tipAt(world, 120);
  t.equal(await Promise.all(early).then((all) => all.every(Boolean)), true);
  t.equal(world.changes.at(-1)!.moreFollows, false, 'nothing more is known');
  t.equal(world.chain.download.engine!.height, 120);
  const coin = reward(blocks[119]!);
  const outpoint = Buffer.concat([coin.txid, Buffer.alloc(4)]);
  t.equal((await world.chain.coins.coin(outpoint))?.value, coin.value, 'coins of the checkpoint can be read');
  await Promise.all(blocks.slice(120).map((block) => world.give(block)));
  await tipAt(world, last.height);
  t.equal(world.engines.length, 1);
  await assertSame(t, world);
  await world.end();
});

t.test('writes a checkpoint at a clean stop; the next start goes on from there', async (t) => {
  const store = new MemoryStore();
  const world = await open({}, { store });
  await world.chain.commands.submitHeaders(headers);
  for (const block of blocks.slice(0, 60)) void world.give(block);
  for (const block of blocks.slice(100, 120)) void world.give(block).catch(() => undefined);
  await until('some blocks', async () => world.chain.view.reached.height === 60);
  await world.chain.close();
  t.same(world.faults, []);
  const again = await open({}, { store, dir: world.dir });
  t.equal(again.chain.view.tip.height, 60);
  await again.chain.commands.submitHeaders(headers);
  await Promise.all(blocks.slice(60).map((block) => again.give(block)));
  await tipAt(again, last.height);
  t.equal(again.engines[0]!.options.firstHeight, 61);
  await assertSame(t, again);
  await again.end();
});

/** A store that fails from one batch on, as if the process had crashed before or after this batch. */
class MortalStore extends MemoryStore {
  left = Number.POSITIVE_INFINITY;
  reaches = false;
  override async batch(ops: Batch, options?: BatchOptions): Promise<void> {
    if (--this.left > 0) return super.batch(ops, options);
    if (this.left === 0 && this.reaches) await super.batch(ops, options);
    throw new StoreError('STORE_IO', 'the process is dead');
  }
}

class StoppedClock extends TestClock {
  override monotonicMs(): number {
    return 0;
  }
}

t.test('repairs a checkpoint at whose n-th write the process died', async (t) => {
  let deaths = 0;
  for (const reaches of [false, true]) {
    for (let n = 1, died = true; died; n++) {
      const store = new MortalStore();
      // No checkpoint is due while the clock stands still.
      const world = await open({ batchCoins: 30 }, { store, clock: new StoppedClock() });
      await world.chain.commands.submitHeaders(headers);
      const given = blocks.slice(0, 112).map((block) => world.give(block).catch(() => false));
      await until('the blocks', async () => world.chain.view.reached.height === 112 || world.chain.view.tip.height === 112);
      t.equal(world.chain.view.tip.height, 0, 'no checkpoint yet');
      store.left = n;
      store.reaches = reaches;
      await world.chain.close();
      await Promise.all(given);
      died = store.left <= 0;
      if (died) deaths++;
      store.left = Number.POSITIVE_INFINITY;
      const again = await open(null, { store, dir: world.dir });
      t.equal(await store.get(Buffer.from('H')), undefined, 'no marker is left');
      await again.chain.commands.submitHeaders(headers);
      await Promise.all(blocks.map((block) => again.give(block)));
      await tipAt(again, last.height);
      await assertSame(t, again);
      await again.end();
    }
  }
  t.ok(deaths >= 10, `${deaths} deaths`);
});

t.test('stops when the disk is full under a block file or an undo file, and goes on after a restart', async (t) => {
  for (const name of ['appendBlocks', 'appendUndo'] as const) {
    let left = Number.POSITIVE_INFINITY;
    const refuse = (): Promise<never> => Promise.reject(new StoreError('STORE_DISK_FULL', 'no space left on device'));
    const wrapFiles = (files: BlockFiles): BlockFiles => {
      const { appendBlocks, appendUndo } = files;
      if (name === 'appendBlocks') files.appendBlocks = (...given) => (--left <= 0 ? refuse() : appendBlocks.apply(files, given));
      else files.appendUndo = (...given) => (--left <= 0 ? refuse() : appendUndo.apply(files, given));
      return files;
    };
    const store = new MemoryStore();
    const world = await open({}, { store, wrapFiles });
    await world.chain.commands.submitHeaders(headers);
    await until('the engine', async () => world.chain.download.engine !== null);
    left = 2;
    const given = blocks.map((block) => world.give(block).catch(() => false));
    await until('the fault', async () => world.faults.length > 0);
    await world.chain.close();
    await Promise.all(given);
    t.match(world.faults, [/no space left/]);
    t.equal(world.chain.view.tip.height, 0, 'no checkpoint after a fault');
    const again = await open({}, { store, dir: world.dir });
    await again.chain.commands.submitHeaders(headers);
    await Promise.all(blocks.map((block) => again.give(block)));
    await tipAt(again, last.height);
    await assertSame(t, again);
    await again.end();
  }
});

/** A store whose disk is full from a batch of a checkpoint on: 0 for the batch with the marker. */
class FullStore extends MemoryStore {
  fullAt = Number.POSITIVE_INFINITY;
  #batches = Number.NEGATIVE_INFINITY;
  override async batch(ops: Batch, options?: BatchOptions): Promise<void> {
    const hasMarker = [...ops].some(({ type, key }) => type === 'put' && Buffer.from(key).toString() === 'H');
    this.#batches = hasMarker ? 0 : this.#batches + 1;
    if (this.#batches >= this.fullAt) throw new StoreError('STORE_DISK_FULL', 'no space left on device');
    return super.batch(ops, options);
  }
}

t.test('stops when the disk is full inside a checkpoint, and loses no block', async (t) => {
  for (const fullAt of [0, 1, 3]) {
    const store = new FullStore();
    store.fullAt = fullAt;
    const world = await open({ batchCoins: 30 }, { store });
    await world.chain.commands.submitHeaders(headers);
    const given = blocks.map((block) => world.give(block).catch(() => false));
    await until('the fault', async () => world.faults.length > 0);
    await world.chain.close();
    await Promise.all(given);
    t.match(world.faults, [/no space left/]);
    t.equal(world.engines[0]!.closed, true);
    const stored = world.chain.view.reached.height;
    store.fullAt = Number.POSITIVE_INFINITY;
    const again = await open({}, { store, dir: world.dir });
    t.equal(await store.get(Buffer.from('H')), undefined, 'no marker is left');
    await again.chain.commands.submitHeaders(headers);
    for (const { hashHex } of blocks.slice(0, stored)) t.ok(again.chain.view.node(hashHex)!.hasData);
    await Promise.all(blocks.slice(stored).map((block) => again.give(block)));
    await tipAt(again, last.height);
    await assertSame(t, again);
    await again.end();
  }
});

t.test('connects stored blocks after -reindex-chainstate', async (t) => {
  const world = await open(null);
  await world.chain.commands.submitHeaders(headers);
  await Promise.all(blocks.map((block) => world.give(block)));
  await tipAt(world, last.height);
  await world.chain.close();
  const { store, dir } = world;
  await store.clear(Buffer.from('C'), Buffer.from('D'));
  await store.batch([{ type: 'put', key: Buffer.from('t'), value: GENESIS.hash }]);
  const again = await open({}, { store, dir, connectAtOpen: -1 });
  t.equal(again.chain.view.tip.height, 0);
  const reported: number[] = [];
  await again.chain.commands.connectStored(({ height }) => reported.push(height));
  await tipAt(again, last.height);
  t.equal(again.engines[0]!.offered.length, last.height);
  t.equal(reported.at(-1), last.height);
  await assertSame(t, again);
  await again.end();
});

t.test('copies a limited number of small blocks while none can be stored', async (t) => {
  const world = await open(null);
  await world.chain.commands.submitHeaders(headers);
  await Promise.all(blocks.map((block) => world.give(block)));
  await tipAt(world, last.height);
  await world.chain.close();
  let write: (() => void) | undefined;
  const waiting = new Promise<void>((resolve) => (write = resolve));
  const wrapFiles = (files: BlockFiles): BlockFiles => {
    const { appendUndo } = files;
    files.appendUndo = (...given) => waiting.then(() => appendUndo.apply(files, given));
    return files;
  };
  const again = await open({}, { dir: world.dir, connectAtOpen: -1, wrapFiles });
  await again.chain.commands.adoptStored();
  await again.chain.commands.submitHeaders(headers);
  const connected = again.chain.commands.connectStored();
  await until('full slots', async () => (again.engines[0]?.offered.length ?? 0) >= 128 + 6);
  for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve));
  t.equal(again.engines[0]!.offered.length, 128 + 6, 'two groups, and the blocks in the slots');
  write!();
  await connected;
  await tipAt(again, last.height);
  await assertSame(t, again);
  await again.end();
});

t.test('lets the ordinary code forget a stored block whose bytes were damaged', async (t) => {
  const world = await open(null);
  await world.chain.commands.submitHeaders(headers);
  await Promise.all(blocks.map((block) => world.give(block)));
  await tipAt(world, last.height);
  const damaged = world.chain.view.atHeight(60)!;
  await world.chain.close();
  const { store, dir } = world;
  const file = openSync(join(dir, 'blk00000.dat'), 'r+');
  writeSync(file, Buffer.from([0xff]), 0, 1, damaged.blockPos + 10);
  closeSync(file);
  await store.clear(Buffer.from('C'), Buffer.from('D'));
  await store.batch([{ type: 'put', key: Buffer.from('t'), value: GENESIS.hash }]);
  const again = await open({}, { store, dir, connectAtOpen: -1 });
  await again.chain.commands.connectStored();
  t.equal(again.chain.view.tip.height, 59);
  t.equal(again.chain.view.node(blocks[59]!.hashHex)!.hasData, false);
  t.equal(again.engines.length, 1, 'the engine does not start again below the block');
  await again.give(blocks[59]!);
  await tipAt(again, last.height);
  await assertSame(t, again);
  await again.end();
});

t.test('leaves a requested block of another branch to the ordinary code', async (t) => {
  const world = await open();
  const other = buildBlock(blocks[49]!, { tag: 7 });
  await world.chain.commands.submitHeaders(headers);
  await world.chain.commands.submitHeaders([new Uint8Array(other.header)]);
  await Promise.all(blocks.slice(0, 20).map((block) => world.give(block)));
  t.ok(world.chain.download.engine, 'the engine waits for the next block');
  await world.give(other);
  t.equal(world.chain.view.node(other.hashHex)!.hasData, true);
  await Promise.all(blocks.slice(20).map((block) => world.give(block)));
  await tipAt(world, last.height);
  await assertSame(t, world);
  await world.end();
});

t.test('gives held blocks to the ordinary code when their branch loses', async (t) => {
  const world = await open();
  await world.chain.commands.submitHeaders(headers);
  await until('the engine', async () => world.engines.length === 1);
  await Promise.all(blocks.slice(0, 20).map((block) => world.give(block)));
  const lost = blocks.slice(60, 70).map((block) => world.give(block));
  const fork = [...blocks.slice(0, 50), ...buildChain(blocks[49]!, blocks.length + BURIED, { tag: 7 })];
  await world.chain.commands.submitHeaders(fork.slice(50).map(({ header }) => new Uint8Array(header)));
  await world.give(fork[20]!);
  t.same(await Promise.all(lost), Array(10).fill(true), 'they are stored while the engine waits for blocks');
  for (const { hashHex } of blocks.slice(60, 70)) t.ok(world.chain.view.node(hashHex)!.hasData);
  t.ok(world.chain.download.engine, 'the engine is running');
  await Promise.all(fork.slice(21).map((block) => world.give(block)));
  await tipAt(world, fork.length);
  t.equal(world.chain.view.tip.hashHex, fork.at(-1)!.hashHex);
  await world.end();
});

/** The last byte of the block belongs to a lock time, so the merkle root does not match. */
function changedCopy(block: BuiltBlock): BuiltBlock {
  const bytes = Buffer.from(block.bytes);
  bytes[bytes.length - 1]! ^= 1;
  return { ...block, bytes };
}

t.test('lets the ordinary code judge changed copies, and waits for the blocks', async (t) => {
  const world = await open();
  await world.chain.commands.submitHeaders(headers);
  const verdicts: string[] = [];
  world.chain.events.checked.add((_hash, _block, reject) => void (reject !== null && verdicts.push(reject.reason)));
  const liar = {};
  const lying = [100, 101, 102, 140];
  const given = blocks.filter(({ height }) => !lying.includes(height)).map((block) => world.give(block));
  const lies = lying.map((height) => world.give(changedCopy(blocks[height - 1]!), true, liar));
  await Promise.all(lies);
  t.same(verdicts, Array(4).fill('bad-txnmrklroot'), 'one wrong block is enough to give back the others of its sender');
  t.equal(world.chain.view.node(blocks[99]!.hashHex)!.failed, false, 'the block of that hash is not invalid');
  await until('the blocks below', async () => world.chain.view.reached.height === 99);
  await Promise.all([...lying.reverse().map((height) => world.give(blocks[height - 1]!)), ...given]);
  await tipAt(world, last.height);
  t.equal(world.engines.length, 1, 'the run has not ended');
  t.equal(world.engines[0]!.offered.at(-1), last.height);
  await assertSame(t, world);
  await world.end();
});

t.test('writes a checkpoint at a clean stop while a block is missing because its copy was changed', async (t) => {
  const world = await open();
  await world.chain.commands.submitHeaders(headers);
  const given = blocks
    .slice(0, 120)
    .map((block) => world.give(block.height === 100 ? changedCopy(block) : block, true, block).catch(() => false));
  await until('the blocks below', async () => world.chain.view.reached.height === 99);
  await world.chain.close();
  await Promise.all(given);
  t.equal(world.chain.view.tip.height, 99);
  t.same(world.faults, []);
});

t.test('ends with a checkpoint below a block that is invalid without its coins', async (t) => {
  const late = spend([reward(blocks[3]!)], [{ value: 1, script: ANYONE }], { locktime: 500, sequence: 0 });
  const wrong = buildBlock(blocks[118]!, { txs: [late], fees: 0 });
  const branch = [wrong, ...buildChain(wrong, BURIED + 50)];
  const world = await open({}, { assumeValid: branch[20]!.hashHex });
  await world.chain.commands.submitHeaders([...blocks.slice(0, 119), ...branch].map(({ header }) => new Uint8Array(header)));
  const given = [...blocks.slice(0, 119), ...branch.slice(0, 30)].map((block) => world.give(block));
  await until('the verdict', async () => world.chain.view.node(wrong.hashHex)!.failed);
  await Promise.all(given);
  await tipAt(world, 119);
  t.equal(world.chain.download.engine, null);
  t.ok(
    world.changes.find(({ jumpedFrom }) => jumpedFrom !== undefined),
    'the work below the block is kept',
  );
  t.same(world.faults, []);
  await world.end();
});

t.test('marks an invalid block as the ordinary code does', async (t) => {
  const greedy = buildBlock(blocks[118]!, { fees: 1 });
  const branch = [greedy, ...buildChain(greedy, BURIED + 50)];
  const world = await open({}, { assumeValid: branch[20]!.hashHex });
  await world.chain.commands.submitHeaders([...blocks.slice(0, 119), ...branch].map(({ header }) => new Uint8Array(header)));
  await Promise.all([...blocks.slice(0, 119), ...branch.slice(0, 30)].map((block) => world.give(block)));
  await until('the verdict', async () => world.chain.view.node(greedy.hashHex)!.failed);
  await tipAt(world, 119);
  t.same(world.faults, []);
  await world.end();
});

t.test('falls back after the death of a thread', async (t) => {
  for (const plan of [{ dieAt: 1 }, { dieAt: 77 }, { dieAfterBatches: 0 }, { dieAfterBatches: 1, batchCoins: 5 }]) {
    const world = await open(plan);
    await world.chain.commands.submitHeaders(headers);
    await Promise.all(blocks.map((block) => world.give(block)));
    await tipAt(world, last.height);
    t.same(world.faults, []);
    await assertSame(t, world);
    await world.end();
  }
});

t.test('falls back if the engine cannot be started', async (t) => {
  let attempts = 0;
  const startEngine = async (): Promise<never> => {
    attempts++;
    throw new Error('no shared memory');
  };
  const world = await open({}, { deps: { startEngine } });
  await world.chain.commands.submitHeaders(headers);
  await Promise.all(blocks.map((block) => world.give(block)));
  await tipAt(world, last.height);
  t.equal(attempts, 1);
  await assertSame(t, world);
  await world.end();
});

t.test('drops coins at a checkpoint when the memory is full, and reads them again from the database', async (t) => {
  const world = await open({ bytes: (coins) => (coins > 70 ? 64 << 20 : 0) });
  await world.chain.commands.submitHeaders(headers);
  await Promise.all(blocks.map((block) => world.give(block)));
  await tipAt(world, last.height);
  t.equal(world.engines.length, 1);
  t.ok(world.engines[0]!.evictions > 0);
  t.equal(world.engines[0]!.offered.at(-1), last.height, 'the engine goes on');
  await assertSame(t, world);
  await world.end();
});

t.test('ends with a checkpoint when the memory is too small even without old coins', async (t) => {
  const world = await open({ bytes: () => 64 << 20 });
  await world.chain.commands.submitHeaders(headers);
  await Promise.all(blocks.map((block) => world.give(block)));
  await tipAt(world, last.height);
  t.equal(world.engines.length, 1);
  t.ok(world.engines[0]!.offered.length < ASSUMED_HEIGHT);
  t.ok(
    world.changes.find(({ jumpedFrom }) => jumpedFrom !== undefined),
    'its work is kept',
  );
  await assertSame(t, world);
  await world.end();
});

t.test('ends for an operator who invalidates a block', async (t) => {
  const world = await open({}, { failedBranches: true });
  await world.chain.commands.submitHeaders(headers);
  await Promise.all(blocks.slice(0, 100).map((block) => world.give(block)));
  await world.chain.commands.invalidateBlock(world.chain.view.node(blocks[89]!.hashHex)!);
  t.equal(world.chain.view.tip.height, 89);
  await world.chain.commands.reconsiderBlock(world.chain.view.node(blocks[89]!.hashHex)!);
  await Promise.all(blocks.slice(100).map((block) => world.give(block)));
  await tipAt(world, last.height);
  await assertSame(t, world);
  await world.end();
});

t.test('does not start near the best header, or outside the initial download', async (t) => {
  const near = { threads: 2, leastBlocks: headers.length + 1, stopHeight: Number.POSITIVE_INFINITY, forbidden: null };
  for (const options of [{ engine: near }, { maxTipAge: 1_000_000_000 }]) {
    const world = await open({}, options);
    await world.chain.commands.submitHeaders(headers);
    await Promise.all(blocks.slice(0, 20).map((block) => world.give(block)));
    await tipAt(world, 20);
    t.equal(world.engines.length, 0);
    await world.end();
  }
});

t.test('ends when the next block does not come, and does not start again before that block', async (t) => {
  let skippedMs = 0;
  const clock = new (class extends TestClock {
    override monotonicMs(): number {
      return super.monotonicMs() + skippedMs;
    }
  })();
  const world = await open({}, { clock });
  await world.chain.commands.submitHeaders(headers);
  await Promise.all(blocks.slice(0, 100).map((block) => world.give(block)));
  await tipAt(world, 100);
  skippedMs += 601_000;
  await until('the end of the engine', async () => world.engines[0]!.closed);
  await world.give(blocks[101]!, false);
  await world.chain.commands.flush();
  t.equal(world.engines.length, 1);
  await Promise.all(blocks.slice(100).map((block) => world.give(block)));
  await tipAt(world, last.height);
  await assertSame(t, world);
  await world.end();
});

t.test('stops at the height of -stopatheight', async (t) => {
  const world = await open({}, { engine: { threads: 1, leastBlocks: 10, stopHeight: 50, forbidden: null } });
  await world.chain.commands.submitHeaders(headers);
  await Promise.all(blocks.slice(0, 60).map((block) => world.give(block)));
  await tipAt(world, 60);
  t.ok(world.changes.some(({ jumpedFrom }) => jumpedFrom !== undefined));
  t.equal(world.engines[0]!.offered.at(-1), 50);
  await world.end();
});

t.test('leaves all blocks to the ordinary code if the settings forbid the engine, and says why', async (t) => {
  const forbidden = { engine: { threads: 1, leastBlocks: 10, stopHeight: 500, forbidden: 'a reason' } };
  for (const [reason, options] of [
    ['a reason', forbidden],
    ['-dbcache is too small', { coinsCacheBytes: 31 << 20 }],
  ] as const) {
    const lines: string[] = [];
    const world = await open({}, { ...options, log: { ...silentLogger, info: (line) => lines.push(line) } });
    await world.chain.commands.submitHeaders(headers);
    await Promise.all(blocks.map((block) => world.give(block)));
    await tipAt(world, last.height);
    t.equal(world.engines.length, 0);
    t.equal(lines.filter((line) => line === `Blocks are connected without the download engine: ${reason}.`).length, 1);
    t.equal(
      world.changes.find(({ jumpedFrom }) => jumpedFrom !== undefined),
      undefined,
    );
    await assertSame(t, world);
    await world.end();
  }
});

t.test('prunes files of connected blocks while it runs, none within 288 blocks of the tip', async (t) => {
  const long = buildChain(GENESIS, 450);
  const prune = { targetBytes: 40 << 10, afterHeight: 100 };
  const fileSizes = { maxFileBytes: 4 << 10, blockChunkBytes: 1 << 10, undoChunkBytes: 1 << 10 };
  const plain = await open(null);
  const world = await open({}, { prune, fileSizes });
  const isStored = (height: number): boolean => world.chain.blocks.hasBlock(world.chain.view.atHeight(height)!);
  for (const one of [plain, world]) await one.chain.commands.submitHeaders(long.map(({ header }) => new Uint8Array(header)));
  await Promise.all(long.slice(0, 400).map((block) => world.give(block)));
  await tipAt(world, 400);
  await until('pruned files', async () => !isStored(1));
  t.not(world.chain.download.engine, null, 'the engine is running');
  for (let height = 400 - 288; height <= 400; height++) t.ok(isStored(height), `block ${height} is kept`);
  await Promise.all(long.slice(400).map((block) => world.give(block)));
  await tipAt(world, long.length);
  await Promise.all(long.map((block) => plain.give(block)));
  await tipAt(plain, long.length);
  t.same(await coinsOf(world), await coinsOf(plain));
  t.equal(world.engines.length, 1);
  t.same(world.faults, []);
  await plain.end();
  await world.end();
});

t.test('does not connect blocks of signet, whose signatures the engine does not check', async (t) => {
  // The challenge is OP_0, so no block has a valid signature.
  const world = await open({}, { deps: { params: { ...params, signetChallenge: Uint8Array.of(0) } } });
  await world.chain.commands.submitHeaders(headers);
  // The engine is started by an entry in the queue of changes. After this flush the entry has run.
  await world.chain.commands.flush();
  t.equal(world.engines.length, 0);
  await world.give(blocks[0]!);
  t.equal(world.chain.view.tip.height, 0);
  await world.end();
});
