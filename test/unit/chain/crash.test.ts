// Tests a process that crashes at every single write: at the next start the tip is consistent, every acknowledged block
// is there, and the chain continues.
import { appendFileSync, cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { BlockFiles } from '../../../src/storage/block-files.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp, BatchOptions, StoreEntry } from '../../../src/storage/store.js';
import { StoreError } from '../../../src/storage/store-error.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import {
  allConnected,
  coinsOf,
  type Fixture,
  IN_DOWNLOAD,
  OUT_OF_DOWNLOAD,
  openFixture,
  temporaryFolder,
} from '../../framework/chain-fixture.js';
import { reachings } from '../../framework/depth.js';

/** Counts writes. From the chosen write on, all fail. The chosen write itself may or may not reach the disk. */
class Fuse {
  private writes = 0;
  blown = false;
  /** Number of writes that were tried after the crash. */
  after = 0;
  constructor(
    readonly at: number,
    readonly reaches: boolean,
  ) {}

  async pass<T>(write: () => Promise<T>): Promise<T> {
    if (this.blown) {
      this.after++;
      throw new StoreError('STORE_IO', 'the process is dead');
    }
    if (++this.writes < this.at) return write();
    this.blown = true;
    if (this.reaches) await write();
    throw new StoreError('STORE_IO', 'the process died');
  }
}

class FusedStore extends MemoryStore {
  fuse = new Fuse(Number.POSITIVE_INFINITY, false);
  override batch(ops: readonly BatchOp[], options?: BatchOptions): Promise<void> {
    return this.fuse.pass(() => super.batch(ops, options));
  }
}

/** Makes appends to files pass through the fuse. After a crash, half of a record may be in the file. */
function fuseFiles(files: BlockFiles, fuse: Fuse): BlockFiles {
  const appendBlocks = files.appendBlocks.bind(files);
  const appendUndo = files.appendUndo.bind(files);
  files.appendBlocks = (blocks) => fuse.pass(() => appendBlocks(blocks));
  files.appendUndo = (file, records) => fuse.pass(() => appendUndo(file, records));
  return files;
}

/** Writes half a record to the end of the last block file, as an interrupted write would. */
function tear(dir: string, magic: Uint8Array): void {
  const last = readdirSync(dir)
    .filter((name) => name.startsWith('blk'))
    .sort()
    .pop();
  if (last !== undefined) appendFileSync(join(dir, last), Buffer.concat([magic, Buffer.from([200, 0, 0, 0, 1, 2, 3])]));
}

const trunk = buildChain(GENESIS, 104);
const coins = [0, 1, 2, 3].map((i) => reward(trunk[i]!));
const pay = (i: number, less: number) => spend([coins[i]!], [{ value: coins[i]!.value - less, script: ANYONE }]);
const a1 = buildBlock(trunk[103]!, { tag: 1, txs: [pay(0, 1), pay(1, 0)], fees: 1 });
const a2 = buildBlock(a1, { tag: 1, txs: [pay(2, 2)], fees: 2 });
const b1 = buildBlock(trunk[103]!, { tag: 2, txs: [pay(0, 5)], fees: 5 });
const b2 = buildBlock(b1, { tag: 2, txs: [pay(3, 0)] });
const b3 = buildBlock(b2, { tag: 2, txs: [pay(1, 3)], fees: 3 });
const b4 = buildBlock(b3, { tag: 2 });
/** The blocks extend the chain, cause a reorganisation, and extend the chain again. */
const story = [a1, a2, b1, b2, b3, b4];

/** Coins at each tip of a node that never crashed. */
const expected = new Map<string, Map<string, string>>();

/** The files and rows of the trunk with which every run starts. */
const base: { dir: string; rows: StoreEntry[] } = { dir: '', rows: [] };

async function remember(): Promise<void> {
  const straight = await openFixture();
  for (const block of [...trunk, a1, a2]) {
    await straight.chain.commands.submitBlock(block.bytes);
    if (block.height >= 104) expected.set(block.hashHex, await coinsOf(straight));
  }
  for (const block of [b1, b2, b3, b4]) {
    await straight.chain.commands.submitBlock(block.bytes);
    if (straight.chain.view.tip.hashHex === block.hashHex) expected.set(block.hashHex, await coinsOf(straight));
  }
  const other = await openFixture();
  for (const block of [...trunk, b1, b2]) {
    await other.chain.commands.submitBlock(block.bytes);
    expected.set(block.hashHex, await coinsOf(other));
  }
  await other.end();
  await straight.end();
  const start = await openFixture();
  for (const block of trunk) await start.chain.commands.submitBlock(block.bytes);
  await start.chain.close();
  base.dir = start.dir;
  for await (const row of start.store.iterate()) base.rows.push(row);
}

interface Settings {
  readonly maxTipAge: number;
  /** Flush after every block. */
  readonly flushEach: boolean;
  readonly atomicFlushEntries?: number;
  readonly flushChunkEntries?: number;
  /** Crash once more, early in the next start. */
  readonly dieAgain?: boolean;
}

interface Run {
  readonly store: FusedStore;
  readonly dir: string;
  readonly acknowledged: BuiltBlock[];
  readonly faulted: boolean;
}

/** Submits the blocks until the fuse makes the process crash. */
async function runUntil(at: number, reaches: boolean, settings: Settings, act: Act): Promise<Run> {
  const store = new FusedStore();
  const dir = temporaryFolder();
  const { flushEach, dieAgain, ...options } = settings;
  await store.batch(base.rows.map(([key, value]) => ({ type: 'put', key, value })));
  cpSync(base.dir, dir, { recursive: true });
  const fuse = new Fuse(at, reaches);
  const opened: BlockFiles[] = [];
  const wrapFiles = (files: BlockFiles) => {
    opened.push(files);
    return fuseFiles(files, fuse);
  };
  const fixture = await openFixture({ store, dir, ...options, wrapFiles });
  store.fuse = fuse;
  const acknowledged: BuiltBlock[] = [];
  try {
    await act(fixture, acknowledged, flushEach);
    // Let the last change finish its writes.
    await fixture.chain.commands.flush();
  } catch (error) {
    if ((error as Error).name !== 'ChainFault') throw error;
  }
  const faulted = fixture.faults.length > 0;
  if (faulted) {
    const refused = await fixture.chain.commands.submitBlock(b4.bytes).then(
      () => 'taken',
      (error: Error) => error.name,
    );
    if (refused !== 'ChainFault') throw new Error(`a chain without storage said ${refused}`);
    if (fixture.faults.length !== 1) throw new Error('the fault was reported more than once');
    // A write after the crash might succeed, for example because disk space is free again, although a write before it
    // is missing. So there must be no write after the crash, not even when the chain is closed.
    await fixture.chain.close();
    if (fuse.after > 0) throw new Error(`${fuse.after} writes were tried after one had failed`);
  }
  store.fuse = new Fuse(Number.POSITIVE_INFINITY, false);
  for (const files of opened) await files.close();
  if (fuse.blown && !reaches) tear(dir, fixture.chain.view.params.magic);
  for (let again = 1; dieAgain && fuse.blown && again <= 4; again++) {
    store.fuse = new Fuse(again, reaches);
    await openFixture({ store, dir, ...options }).then(
      ({ chain }) => chain.close(),
      () => undefined,
    );
  }
  store.fuse = new Fuse(Number.POSITIVE_INFINITY, false);
  return { store, dir, acknowledged, faulted };
}

type Act = (fixture: Fixture, acknowledged: BuiltBlock[], flushEach: boolean) => Promise<void>;

const submitStory: Act = async ({ chain }, acknowledged, flushEach) => {
  for (const block of story) {
    const { kind } = await chain.commands.submitBlock(block.bytes);
    if (kind === 'invalid') throw new Error('a good block was refused');
    acknowledged.push(block);
    if (flushEach) await chain.commands.flush();
  }
};

/**
 * Opens the chain again and checks everything that was acknowledged.
 * @returns true if the run had completed without a crash
 */
async function check(t: Test, run: Run, maxTipAge: number, label: string): Promise<void> {
  const fixture = await openFixture({ store: run.store, dir: run.dir, maxTipAge });
  const { chain } = fixture;
  const problems: string[] = [];
  for (const block of run.acknowledged) {
    const node = chain.view.node(block.hash);
    if (node === undefined || !chain.blocks.hasBlock(node)) problems.push(`lost ${block.height}`);
    else if (!Buffer.from((await chain.blocks.readBlock(node)).bytes).equals(block.bytes)) problems.push(`garbled ${block.height}`);
  }
  // A block counts if all blocks below it were acknowledged, too.
  const isComplete = ({ height, header }: BuiltBlock): boolean =>
    height === 105 || run.acknowledged.some((parent) => parent.hash.equals(header.subarray(4, 36)) && isComplete(parent));
  const best = Math.max(104, ...run.acknowledged.filter(isComplete).map(({ height }) => height));
  if (chain.view.tip.height < best) problems.push(`tip ${chain.view.tip.height} below acknowledged ${best}`);
  const should = expected.get(chain.view.tip.hashHex);
  if (should === undefined) problems.push('an unknown tip');
  const got = await coinsOf(fixture);
  if (should !== undefined && JSON.stringify([...got]) !== JSON.stringify([...should])) problems.push('the coins differ');
  if (!(await chain.commands.verifyChain(4, 6))) problems.push('verifychain is not content');
  // The chain continues as if no crash had occurred.
  for (const block of story) await chain.commands.submitBlock(block.bytes);
  if (chain.view.tip.hashHex !== b4.hashHex) problems.push('could not go on');
  const end = await coinsOf(fixture);
  if (JSON.stringify([...end]) !== JSON.stringify([...expected.get(b4.hashHex)!])) problems.push('the coins differ at the end');
  if (fixture.faults.length > 0) problems.push(String(fixture.faults[0]));
  await fixture.end();
  if (problems.length > 0) t.fail(`${label}: ${problems.join(', ')}`);
}

async function everyWrite(t: Test, settings: Settings, act: Act = submitStory): Promise<number> {
  let at = 1;
  for (; ; at++) {
    let faulted = false;
    for (const reaches of reachings(at)) {
      const run = await runUntil(at, reaches, settings, act);
      faulted = run.faulted;
      await check(t, run, settings.maxTipAge, `write ${at}, ${reaches ? 'done' : 'not done'}`);
    }
    if (!faulted) break;
  }
  t.comment(`died at each of ${at - 1} writes`);
  return at - 1;
}

t.before(remember);
t.teardown(() => rmSync(base.dir, { recursive: true, force: true }));

t.test('near the tip: recovers from a crash at any write', async (t) => {
  const writes = await everyWrite(t, { maxTipAge: OUT_OF_DOWNLOAD, flushEach: false });
  t.ok(writes >= 15, 'there are writes to die at');
});

t.test('in the initial block download with coins in memory: recovers from a crash at any write', async (t) => {
  const writes = await everyWrite(t, { maxTipAge: IN_DOWNLOAD, flushEach: false });
  t.ok(writes >= 12);
});

t.test('in the initial block download with blocks out of order: recovers from a crash at any write', async (t) => {
  const act: Act = async ({ chain }, acknowledged, flushEach) => {
    for (const block of story) await chain.commands.submitHeader(block.header);
    for (const group of [story.slice(0, 1), story.slice(1, 5), story.slice(5)]) {
      const take = async (block: BuiltBlock): Promise<void> => {
        if (!(await chain.commands.submitBlock(block.bytes)).isNew) throw new Error('a good block was refused');
        acknowledged.push(block);
      };
      // Peers send blocks out of order, so the later ones come first.
      const taken = await Promise.allSettled([...group].reverse().map(take));
      for (const one of taken) if (one.status === 'rejected') throw one.reason;
      await allConnected({ chain });
      if (flushEach) await chain.commands.flush();
    }
  };
  for (const flushEach of [false, true]) {
    const writes = await everyWrite(t, { maxTipAge: IN_DOWNLOAD, flushEach }, act);
    t.ok(writes >= 10, 'there are writes to die at');
  }
});

t.test('in the initial block download with a flush per block: recovers from a crash at any write', async (t) => {
  const writes = await everyWrite(t, { maxTipAge: IN_DOWNLOAD, flushEach: true });
  t.ok(writes >= 15);
});

for (const [when, maxTipAge] of [
  ['near the tip', OUT_OF_DOWNLOAD],
  ['in initial download', IN_DOWNLOAD],
] as const) {
  t.test(`recovers from a crash while it leaves an invalidated branch, ${when}`, async (t) => {
    const act: Act = async ({ chain }, acknowledged) => {
      for (const block of [a1, a2]) await chain.commands.submitBlock(block.bytes);
      // The coins in the store belong to the branch that is replaced next.
      await chain.commands.flush();
      await chain.commands.invalidateBlock(chain.view.node(a1.hash)!);
      await chain.commands.submitBlock(b1.bytes);
      await chain.commands.reconsiderBlock(chain.view.node(a1.hash)!);
      acknowledged.push(a1, a2, b1);
    };
    // After a crash in between, the branch may still be marked as invalid. Reconsidering it must bring back all of its
    // blocks.
    let at = 1;
    for (let faulted = true; faulted; at++) {
      const run = await runUntil(at, at % 2 === 0, { maxTipAge, flushEach: false }, act);
      faulted = run.faulted;
      const fixture = await openFixture({ store: run.store, dir: run.dir, maxTipAge });
      const { chain } = fixture;
      t.notOk(chain.view.blockState(chain.view.tip).failed, 'the tip is not marked');
      t.same(await coinsOf(fixture), expected.get(chain.view.tip.hashHex));
      const node = chain.view.node(a1.hash);
      if (node !== undefined) await chain.commands.reconsiderBlock(node);
      for (const block of [a1, a2]) await chain.commands.submitBlock(block.bytes);
      t.equal(chain.view.tip.hashHex, a2.hashHex);
      t.same(await coinsOf(fixture), expected.get(a2.hashHex));
      await fixture.end();
    }
    t.ok(at > 10);
  });
}

t.test('replays a partial flush from blocks and undo data after a crash at any write', async (t) => {
  const small = { maxTipAge: IN_DOWNLOAD, flushEach: true, atomicFlushEntries: 0, flushChunkEntries: 1, dieAgain: true };
  const writes = await everyWrite(t, small);
  t.ok(writes >= 40, 'every coin is a write of its own');
});
