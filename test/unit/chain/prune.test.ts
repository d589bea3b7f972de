// Tests pruning: which files are removed, what the chain knows about pruned blocks, how it stores them again, and
// crashes at every write and removal.
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Chain } from '../../../src/chain/chain.js';
import { filesAboveTarget, filesUpTo, lastPrunable } from '../../../src/chain/files/pruning.js';
import type { BlockFiles } from '../../../src/storage/block-files.js';
import { PRUNED_FLAG_KEY, prunedFileKey } from '../../../src/storage/layout.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp, BatchOptions } from '../../../src/storage/store.js';
import { StoreError } from '../../../src/storage/store-error.js';
import { type BuiltBlock, buildBlock, buildChain, GENESIS } from '../../framework/chain-builder.js';
import { coinsOf, type Fixture, type FixtureOptions, IN_DOWNLOAD, openFixture } from '../../framework/chain-fixture.js';
import { reachings, rounds } from '../../framework/depth.js';
import { until } from '../../framework/until.js';

const BY_HAND = { targetBytes: Number.POSITIVE_INFINITY, afterHeight: 100 };
/** With this size a file has about 15 blocks. */
const SMALL = { maxFileBytes: 4 << 10, blockChunkBytes: 1 << 10, undoChunkBytes: 1 << 10 };
const chain400 = buildChain(GENESIS, 400);

const numbersOf = (dir: string, kind: string): number[] =>
  readdirSync(dir)
    .filter((name) => name.startsWith(kind))
    .map((name) => Number(name.slice(3, 8)))
    .sort((a, b) => a - b);

async function submitAll(chain: Chain, blocks: readonly BuiltBlock[]): Promise<void> {
  for (const block of blocks) await chain.commands.submitBlock(block.bytes);
}

/** A closed chain with which each test begins. */
interface Template {
  readonly dir: string;
  readonly rows: readonly BatchOp[];
}

async function record(blocks: readonly BuiltBlock[]): Promise<Template> {
  const { chain, store, dir } = await openFixture({ fileSizes: SMALL, maxTipAge: IN_DOWNLOAD });
  await submitAll(chain, blocks);
  await chain.close();
  const rows: BatchOp[] = [];
  for await (const [key, value] of store.iterate()) rows.push({ type: 'put', key, value });
  return { dir, rows };
}

async function copyOf(template: Template, store: MemoryStore = new MemoryStore()): Promise<{ store: MemoryStore; dir: string }> {
  await store.batch(template.rows);
  const dir = mkdtempSync(join(tmpdir(), 'adit-prune-'));
  cpSync(template.dir, dir, { recursive: true });
  return { store, dir };
}

let template: Template;
t.before(async () => {
  template = await record(chain400);
});
t.teardown(() => rmSync(template.dir, { recursive: true, force: true }));

/** Opens a copy of the chain of 400 blocks. */
async function longChain(options: FixtureOptions = {}): Promise<Fixture> {
  return openFixture({ fileSizes: SMALL, prune: BY_HAND, ...(await copyOf(template)), ...options });
}

t.test('prunes the lowest files until the target size is met, none too close to the tip', async (t) => {
  const files = [
    { file: 0, bytes: 100, lastHeight: 50 },
    { file: 1, bytes: 100, lastHeight: 120 },
    { file: 2, bytes: 100, lastHeight: 90 },
    { file: 4, bytes: 100, lastHeight: 95 },
  ];
  const limits = { usage: 450, targetBytes: 400, bufferBytes: 20, downloading: false, lastHeight: 100 };
  t.same(filesAboveTarget(files, limits), [0], 'until the target size is met, lowest first');
  t.same(filesAboveTarget(files, { ...limits, usage: 379 }), [], 'space for another chunk is left');
  t.same(filesAboveTarget(files, { ...limits, usage: 380 }), [0]);
  t.same(filesAboveTarget(files, { ...limits, usage: 480 }), [0, 2], 'what is too near the tip is passed over');
  t.same(filesAboveTarget(files, { ...limits, usage: 1_000 }), [0, 2, 4]);
  t.same(filesAboveTarget(files, { ...limits, downloading: true, usage: 450 }), [0, 2], 'a tenth more in initial download');
  t.same(filesAboveTarget(files, { ...limits, targetBytes: Number.POSITIVE_INFINITY }), []);
  t.same(filesUpTo(files, 94), [0, 2]);
  t.same(filesUpTo(files, -5), []);
  t.equal(lastPrunable(1_000, Number.POSITIVE_INFINITY), 712);
  t.equal(lastPrunable(1_000, 500), 489, 'ten blocks below the reader stay as well');
  t.ok(lastPrunable(100, Number.POSITIVE_INFINITY) < 0);
});

t.test('records pruned files in a synced write before it removes them', async (t) => {
  const synced: { sync: boolean; files: number[]; there: number[] }[] = [];
  let dir = '';
  class NotingStore extends MemoryStore {
    override batch(ops: readonly BatchOp[], options?: BatchOptions): Promise<void> {
      const given = ops.filter(({ type, key }) => type === 'put' && key[0] === prunedFileKey(0)[0]).length;
      if (given > 0) synced.push({ sync: options?.sync === true, files: numbersOf(dir, 'blk').slice(0, given), there: [given] });
      return super.batch(ops, options);
    }
  }
  const copy = await copyOf(template, new NotingStore());
  dir = copy.dir;
  const fixture = await openFixture({ fileSizes: SMALL, prune: BY_HAND, ...copy });
  t.teardown(() => fixture.end());
  const before = numbersOf(dir, 'blk');
  await fixture.chain.commands.pruneUpTo(60);
  await until('the files are gone', () => numbersOf(dir, 'blk').length < before.length);
  t.equal(synced.length, 1, 'in one write');
  const [write] = synced;
  t.equal(write?.sync, true, 'that is synced');
  t.same(write?.files, before.slice(0, write?.there[0]), 'and all files were there');
  t.ok((write?.there[0] ?? 0) >= 3);
});

t.test('manual pruning removes files below a height, and marks their blocks as pruned', async (t) => {
  const fixture = await longChain();
  const { chain, dir, store } = fixture;
  const before = numbersOf(dir, 'blk');
  t.ok(before.length > 20);
  t.equal(chain.blocks.lowestStored, chain.view.genesis);
  t.notOk(chain.blocks.havePruned);
  const usage = chain.blocks.sizeOnDisk();
  await chain.commands.pruneUpTo(5);
  t.same(numbersOf(dir, 'blk'), before, 'the first file reaches above that');
  t.notOk(chain.blocks.havePruned);
  await chain.commands.pruneUpTo(60);
  const lowest = chain.blocks.lowestStored.height;
  t.ok(lowest > 30 && lowest <= 61, `stored from ${lowest} on`);
  t.ok(chain.blocks.havePruned);
  t.ok(chain.blocks.sizeOnDisk() < usage);
  t.same(
    numbersOf(dir, 'blk'),
    before.filter((file) => file >= chain.view.atHeight(lowest)!.file),
  );
  t.same(numbersOf(dir, 'rev'), numbersOf(dir, 'blk'));
  for (const height of [0, 1, lowest - 1]) {
    const node = chain.view.atHeight(height)!;
    t.ok(chain.blocks.isPruned(node) && !chain.blocks.hasBlock(node));
    t.equal(node.txCount, 1, 'the number of transactions is retained');
    t.equal(node.chainTxCount, height + 1);
    await t.rejects(chain.blocks.readBlock(node), { code: 'STORE_NOT_FOUND' });
    t.equal(chain.blocks.placeOf(node), null);
  }
  t.notOk(chain.blocks.isPruned(chain.view.atHeight(lowest)!));
  t.ok(await store.get(PRUNED_FLAG_KEY));
  t.equal(await store.get(prunedFileKey(0)), undefined, 'nothing is left to be removed');
  await chain.commands.pruneUpTo(400);
  t.ok(chain.blocks.lowestStored.height <= 400 - 288 + 1 && chain.blocks.lowestStored.height > 90, 'never the newest 288');
  t.equal(chain.view.known(chain400[0]!.hash), 'duplicate');
  const { lowestStored } = chain.blocks;
  t.equal((await chain.commands.submitBlock(buildBlock(chain400[399]!).bytes)).kind, 'accepted');
  t.ok(await chain.commands.verifyChain(4, 0), 'what is there is checked');
  t.equal(chain.blocks.lowestStored, lowestStored, 'a new tip changes nothing below');
  const { height } = chain.blocks.lowestStored;
  const coins = await coinsOf(fixture);
  await chain.close();
  const again = await openFixture({ fileSizes: SMALL, prune: BY_HAND, store, dir });
  t.ok(again.chain.blocks.havePruned);
  t.equal(again.chain.blocks.lowestStored.height, height);
  t.equal(again.chain.view.tip.height, 401);
  t.same(await coinsOf(again), coins);
  await again.end();
});

t.test('keeps files that a reader of blocks still needs', async (t) => {
  const fixture = await longChain();
  const { chain } = fixture;
  let needed = 0;
  const off = chain.commands.guardBlocks(() => needed);
  await chain.commands.pruneUpTo(100);
  t.notOk(chain.blocks.havePruned);
  needed = 70;
  await chain.commands.pruneUpTo(100);
  t.ok(chain.blocks.lowestStored.height > 30 && chain.blocks.lowestStored.height <= 60);
  off();
  await chain.commands.pruneUpTo(100);
  t.ok(chain.blocks.lowestStored.height > 80);
  await fixture.end();
});

t.test('automatic pruning keeps files below the target size, and the newest 288 blocks', async (t) => {
  const usage = await longChain().then(async ({ chain, end }) => {
    const bytes = chain.blocks.sizeOnDisk();
    await end();
    return bytes;
  });
  const young = await longChain({ prune: { targetBytes: usage / 2, afterHeight: 400 } });
  await young.chain.commands.pruneToTarget();
  t.notOk(young.chain.blocks.havePruned, 'not before a height');
  await young.end();
  const roomy = await longChain({ prune: { targetBytes: usage + 10_000, afterHeight: 100 } });
  await roomy.chain.commands.pruneToTarget();
  t.notOk(roomy.chain.blocks.havePruned, 'not while the files are below the target size');
  await roomy.end();
  const fixture = await longChain({ prune: { targetBytes: usage - 5_000, afterHeight: 100 } });
  const { chain, dir } = fixture;
  await (await chain.commands.pruneToTarget()).removed;
  t.ok(chain.blocks.sizeOnDisk() < usage - 5_000);
  t.ok(chain.blocks.sizeOnDisk() > usage - 20_000, 'and no more than has to');
  t.notOk(existsSync(join(dir, 'blk00000.dat')));
  await fixture.end();
  const small = await longChain({ prune: { targetBytes: 1_000, afterHeight: 100 } });
  await (await small.chain.commands.pruneToTarget()).removed;
  t.ok(
    small.chain.blocks.lowestStored.height <= 400 - 288 + 1 && small.chain.blocks.lowestStored.height > 90,
    'the newest 288 stay, whatever the target size',
  );
  await small.end();
});

t.test('prunes automatically when new blocks make the files grow', async (t) => {
  const fixture = await longChain({ prune: { targetBytes: 60_000, afterHeight: 100 } });
  const { chain, dir } = fixture;
  const first = chain.view.atHeight(1)!;
  const seen: boolean[] = [];
  chain.events.pruned.add(() => seen.push(chain.blocks.isPruned(first)), 'test');
  await submitAll(chain, buildChain(chain400[399]!, 5));
  await until('the first files are removed', () => !existsSync(join(dir, 'rev00000.dat')));
  t.notOk(existsSync(join(dir, 'blk00000.dat')));
  t.ok(chain.blocks.havePruned);
  t.equal(seen[0], true, 'announced when the index had forgotten the blocks');
  await fixture.end();
});

t.test('invalidateblock stops at the first block without undo data, and can be undone', async (t) => {
  const fixture = await longChain();
  const { chain } = fixture;
  await chain.commands.pruneUpTo(112);
  const { height } = chain.blocks.lowestStored;
  await chain.commands.invalidateBlock(chain.view.atHeight(21)!);
  t.equal(chain.view.tip.height, height - 1, 'down as far as there is undo data');
  t.ok(chain.blocks.isPruned(chain.view.tip));
  t.equal(fixture.faults.length, 0);
  t.notOk(chain.view.blockState(chain.view.atHeight(21)!).failed, 'what is still in the chain is not marked');
  await chain.commands.reconsiderBlock(chain.view.node(chain400[399]!.hash)!);
  t.equal(chain.view.tip.height, 400, 'and up again');
  await fixture.end();
});

t.test('switches to a pruned branch once its blocks were stored again, in any order', async (t) => {
  const plain = await longChain();
  // Find a block that is the first of its file; the two blocks before it are the last ones of another file.
  let border = 100;
  while (plain.chain.view.atHeight(border)!.file === plain.chain.view.atHeight(border - 1)!.file) border--;
  await plain.end();
  const rivals = buildChain(chain400[border - 4]!, 3, { tag: 9 });
  t.equal(rivals[0]!.height, border - 2);
  const forked = await record([
    ...chain400.slice(0, border - 3),
    rivals[0]!,
    rivals[1]!,
    ...chain400.slice(border - 3, border),
    rivals[2]!,
    ...chain400.slice(border),
  ]);
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const fixture = await openFixture({ fileSizes: SMALL, prune: BY_HAND, ...(await copyOf(forked)) });
    const { chain } = fixture;
    t.equal(chain.view.tip.height, 400);
    await chain.commands.pruneUpTo(border - 1);
    t.same(
      rivals.map(({ hash }) => chain.blocks.isPruned(chain.view.node(hash)!)),
      [true, true, false],
    );
    t.equal(chain.blocks.lowestStored.height, border - 2);
    t.equal((await chain.commands.submitBlock(rivals[0]!.bytes, { force: false })).isNew, false, 'it was not requested');
    await chain.commands.invalidateBlock(chain.view.atHeight(border - 2)!);
    t.equal(chain.view.tip.height, border - 3, 'the other branch is not whole');
    for (const i of order) t.equal((await chain.commands.submitBlock(rivals[i]!.bytes)).isNew, true);
    t.equal(chain.view.tip.hashHex, rivals[2]!.hashHex);
    t.ok(await chain.commands.verifyChain(4, 3));
    t.equal(fixture.faults.length, 0);
    await fixture.end();
  }
  rmSync(forked.dir, { recursive: true, force: true });
});

t.test('stops at a reorganisation below the pruned height, and advises -reindex', async (t) => {
  const fixture = await longChain();
  const { chain } = fixture;
  await chain.commands.pruneUpTo(112);
  const branch = buildChain(chain400[89]!, 311, { tag: 5 });
  await t.rejects(submitAll(chain, branch), { name: 'ChainFault' });
  t.match(fixture.faults[0]?.message, /Failed to disconnect block .*pruned\. Start with -reindex/);
  await fixture.end();
});

t.test('stores a pruned block that was fetched again, without undo data', async (t) => {
  const fixture = await longChain();
  const { chain } = fixture;
  await chain.commands.pruneUpTo(112);
  const below = chain.blocks.lowestStored.height - 1;
  const node = chain.view.atHeight(below)!;
  await chain.commands.submitBlock(chain400[below - 1]!.bytes);
  t.ok(chain.blocks.hasBlock(node));
  t.same(Buffer.from((await chain.blocks.readBlock(node)).bytes), chain400[below - 1]!.bytes);
  t.equal(chain.blocks.lowestStored, node);
  t.equal(node.chainTxCount, below + 1);
  t.equal(chain.view.tip.height, 400);
  await t.rejects(chain.blocks.readUndo(node), { code: 'STORE_NOT_FOUND' });
  t.ok(await chain.commands.verifyChain(4, 0), 'ends above the block without undo data');
  await chain.close();
  const again = await openFixture({ fileSizes: SMALL, prune: BY_HAND, store: fixture.store, dir: fixture.dir });
  t.ok(again.chain.blocks.hasBlock(again.chain.view.atHeight(below)!));
  await again.end();
});

t.test('removes files marked as pruned at the start, except those that still hold blocks', async (t) => {
  const fixture = await longChain();
  const { chain, store, dir } = fixture;
  await chain.commands.pruneUpTo(60);
  const kept = numbersOf(dir, 'blk')[0]!;
  await chain.close();
  writeFileSync(join(dir, 'blk00000.dat'), 'left');
  writeFileSync(join(dir, 'rev00001.dat'), 'left');
  await store.batch([0, 1, kept].map((file) => ({ type: 'put', key: prunedFileKey(file), value: new Uint8Array(0) })));
  const again = await openFixture({ fileSizes: SMALL, prune: BY_HAND, store, dir });
  await (await again.chain.commands.pruneToTarget()).removed;
  t.notOk(existsSync(join(dir, 'blk00000.dat')));
  t.equal(await store.get(prunedFileKey(0)), undefined);
  t.notOk(existsSync(join(dir, 'rev00001.dat')));
  t.ok(existsSync(join(dir, `blk${String(kept).padStart(5, '0')}.dat`)), 'the index knows blocks of it');
  await again.end();
});

t.test('refuses to start when an unpruned block file is missing', async (t) => {
  const fixture = await longChain();
  const { store, dir, chain } = fixture;
  await chain.close();
  rmSync(join(dir, 'blk00003.dat'));
  await t.rejects(openFixture({ fileSizes: SMALL, prune: BY_HAND, store, dir }), { code: 'STORE_CORRUPTION', message: /file 3/ });
  await fixture.end();
});

/**
 * A store that simulates a crash at a write or at a removal of files. The write or removal may be done, not done, or
 * half done.
 */
class MortalStore extends MemoryStore {
  left = Number.POSITIVE_INFINITY;
  reaches = false;
  blown = false;
  async step<T>(work: () => Promise<T>): Promise<T> {
    if (this.blown) throw new StoreError('STORE_IO', 'the process is dead');
    if (--this.left > 0) return work();
    this.blown = true;
    if (this.reaches) await work();
    throw new StoreError('STORE_IO', 'the process died');
  }
  override batch(ops: readonly BatchOp[], options?: BatchOptions): Promise<void> {
    return this.step(() => super.batch(ops, options));
  }
}

t.test('recovers from a crash at any write or removal of files', async (t) => {
  const more = buildChain(chain400[399]!, 4);
  let expected: Map<string, string> | null = null;
  let deaths = 0;
  for (let at = 1; ; at++) {
    let died = false;
    for (const reaches of reachings(at)) {
      const store = new MortalStore();
      const { dir } = await copyOf(template, store);
      const opened: BlockFiles[] = [];
      const wrapFiles = (files: BlockFiles): BlockFiles => {
        opened.push(files);
        const remove = files.remove.bind(files);
        files.remove = (numbers) => store.step(() => remove(store.left > 0 ? numbers : numbers.slice(0, 2)));
        return files;
      };
      const options = { fileSizes: SMALL, prune: { targetBytes: 90_000, afterHeight: 100 }, maxTipAge: IN_DOWNLOAD, store, dir };
      const fixture = await openFixture({ ...options, wrapFiles });
      store.left = at;
      store.reaches = reaches;
      try {
        await submitAll(fixture.chain, more.slice(0, 2));
        await (await fixture.chain.commands.pruneToTarget()).removed;
        await submitAll(fixture.chain, more.slice(2));
        await fixture.chain.commands.pruneUpTo(112);
        await fixture.chain.commands.flush();
      } catch (error) {
        if ((error as Error).name !== 'ChainFault') throw error;
      }
      await fixture.chain.close();
      for (const files of opened) await files.close();
      died ||= store.blown;
      if (store.blown) deaths++;
      store.left = Number.POSITIVE_INFINITY;
      store.blown = false;
      const next = await openFixture(options);
      const { chain } = next;
      await (await chain.commands.pruneToTarget()).removed;
      const problems: string[] = [];
      if (chain.view.tip.height < 400) problems.push(`the tip is at ${chain.view.tip.height}`);
      const files = new Set(numbersOf(dir, 'blk'));
      for (let height = 0; height <= chain.view.tip.height; height++) {
        const node = chain.view.atHeight(height)!;
        if (chain.blocks.hasBlock(node)) {
          if (!files.has(node.file)) problems.push(`${height} is claimed, and its file is gone`);
          else await chain.blocks.readBlock(node).catch((error: Error) => problems.push(`${height}: ${error.message}`));
          if (height > 0) await chain.blocks.readUndo(node).catch((error: Error) => problems.push(`${height}: ${error.message}`));
        } else if (!chain.blocks.isPruned(node)) problems.push(`${height} is missing`);
        if (height > chain.view.tip.height - 288 && !chain.blocks.hasBlock(node)) problems.push(`${height} should have stayed`);
      }
      if (!(await chain.commands.verifyChain(4, 6))) problems.push('verifychain is not content');
      await submitAll(chain, more);
      await chain.commands.pruneUpTo(112);
      if (chain.view.tip.height !== 404) problems.push('could not go on');
      const known = new Set<number>();
      for (let height = 0; height <= 404; height++)
        if (chain.blocks.hasBlock(chain.view.atHeight(height)!)) known.add(chain.view.atHeight(height)!.file);
      for (const file of numbersOf(dir, 'blk')) if (!known.has(file)) problems.push(`file ${file} is left over`);
      const coins = await coinsOf(next);
      expected ??= coins;
      if (JSON.stringify([...coins]) !== JSON.stringify([...expected])) problems.push('the coins differ');
      await next.end();
      if (problems.length > 0) t.fail(`write ${at}, ${reaches ? 'done' : 'not done'}: ${problems.slice(0, 5).join('; ')}`);
    }
    if (!died) break;
  }
  t.ok(deaths > rounds(10, 20), `died ${deaths} times`);
});

t.test('does not remove files while a reindex reads them', async (t) => {
  const { chain, dir, end } = await longChain();
  t.teardown(end);
  const before = numbersOf(dir, 'blk');
  const reading = chain.commands.adoptStored();
  await chain.commands.pruneUpTo(100);
  t.same(numbersOf(dir, 'blk'), before);
  await reading;
  await chain.commands.pruneUpTo(100);
  t.ok(numbersOf(dir, 'blk').length < before.length, 'afterwards it is');
});
