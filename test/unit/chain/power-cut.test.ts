// Simulates power failures: some of the last writes to the database, the block files and the undo files are missing,
// each independently. The next start returns to the last complete state, accepts the lost blocks again, and has the
// same coins in the end.
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import t from 'tap';
import type { Logger } from '../../../src/log/logger.js';
import { silentLogger } from '../../../src/log/logger.js';
import type { BlockFiles } from '../../../src/storage/block-files.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { StoreEntry } from '../../../src/storage/store.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { coinsOf, type Fixture, IN_DOWNLOAD, OUT_OF_DOWNLOAD, openFixture, temporaryFolder } from '../../framework/chain-fixture.js';
import { txid } from '../../framework/messages.js';

const HEAD = 8;
const trunk = buildChain(GENESIS, 110);
/** Each of these blocks spends a reward, and also spends the result within the block. */
const late: BuiltBlock[] = [];
for (let i = 0; i < 9; i++) {
  const coin = reward(trunk[i]!);
  const first = spend(
    [coin],
    [
      { value: coin.value - 2, script: ANYONE },
      { value: 1, script: ANYONE },
    ],
  );
  const second = spend([{ txid: txid(first), index: 0, value: coin.value - 2 }], [{ value: coin.value - 2, script: ANYONE }]);
  late.push(buildBlock(late.at(-1) ?? trunk[109]!, { txs: [first, second], fees: 1 }));
}
const all = [...trunk, ...late];
const last = late.at(-1)!;

/** State of the disk. */
interface Image {
  readonly dir: string;
  readonly rows: readonly StoreEntry[];
}

const folders: string[] = [];
t.teardown(() => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
});

function newFolder(): string {
  const dir = temporaryFolder();
  folders.push(dir);
  return dir;
}

async function imageOf({ store, dir }: Fixture): Promise<Image> {
  const copy = newFolder();
  cpSync(dir, copy, { recursive: true });
  const rows: StoreEntry[] = [];
  for await (const row of store.iterate()) rows.push(row);
  return { dir: copy, rows };
}

/** Coins at each tip, of a node that never lost anything. */
const expected = new Map<string, [string, string][]>();
/** States after each of the late blocks was written, without a clean stop. */
const images: Image[] = [];
let syncs = 0;
/** Ends of the records in the files, in order. */
const ends: Record<'blk' | 'rev', number[]> = { blk: [], rev: [] };

t.before(async () => {
  // Files are synced a quarter of a second after a block. A simulated timer prevents this sync on a slow machine before
  // the last block.
  mock.timers.enable({ apis: ['setTimeout'] });
  const fixture = await openFixture({
    maxTipAge: OUT_OF_DOWNLOAD,
    wrapFiles: (files) => {
      const sync = files.sync.bind(files);
      files.sync = () => {
        syncs++;
        return sync();
      };
      return files;
    },
  });
  for (const block of trunk) await fixture.chain.commands.submitBlock(block.bytes);
  await fixture.chain.commands.flush();
  expected.set(trunk.at(-1)!.hashHex, [...(await coinsOf(fixture))]);
  syncs = 0;
  for (const block of late) {
    await fixture.chain.commands.submitBlock(block.bytes);
    await fixture.chain.commands.flush();
    expected.set(block.hashHex, [...(await coinsOf(fixture))]);
    images.push(await imageOf(fixture));
    for (const kind of ['blk', 'rev'] as const) ends[kind].push(readFileSync(join(fixture.dir, `${kind}00000.dat`)).length);
  }
  await fixture.end();
  mock.timers.reset();
});

/** Truncates the file, or keeps its length and replaces the rest by zeros. */
function lose(dir: string, name: string, from: number, how: 'truncated' | 'zeroed'): void {
  const path = join(dir, name);
  const bytes = readFileSync(path);
  if (how === 'truncated') truncateSync(path, from);
  else writeFileSync(path, bytes.fill(0, from));
}

interface Opened {
  readonly fixture: Fixture;
  readonly warnings: string[];
}

async function openAgain({ dir, rows }: Image, damage: (dir: string) => void, maxTipAge = OUT_OF_DOWNLOAD): Promise<Opened> {
  const copy = newFolder();
  cpSync(dir, copy, { recursive: true });
  damage(copy);
  const store = new MemoryStore();
  await store.batch(rows.map(([key, value]) => ({ type: 'put', key, value })));
  const warnings: string[] = [];
  const log: Logger = { ...silentLogger, warn: (text: string) => warnings.push(text) };
  return { fixture: await openFixture({ store, dir: copy, maxTipAge, log }), warnings };
}

/** Checks the tip's coins, and that the chain continues. @returns the height of the tip at first */
async function goesOn({ fixture }: Opened): Promise<number> {
  const { chain } = fixture;
  const { height } = chain.view.tip;
  const should = expected.get(chain.view.tip.hashHex);
  if (should === undefined) throw new Error(`stands at ${height}`);
  if (JSON.stringify([...(await coinsOf(fixture))]) !== JSON.stringify(should)) throw new Error(`the coins differ at ${height}`);
  for (const { hash, height, bytes } of late) {
    const node = chain.view.node(hash);
    if (node !== undefined && !chain.blocks.hasBlock(node) && chain.view.known(hash) === 'duplicate')
      throw new Error(`submitblock would refuse block ${height}, which is lost`);
    await chain.commands.submitBlock(bytes);
  }
  if (chain.view.tip.hashHex !== last.hashHex) throw new Error(`does not come further than ${chain.view.tip.height}`);
  if (JSON.stringify([...(await coinsOf(fixture))]) !== JSON.stringify(expected.get(last.hashHex)))
    throw new Error('the coins differ at the end');
  if (!(await chain.commands.verifyChain(4, 9))) throw new Error('verifychain is not content');
  // Blocks and undo data must be complete again, so the branch can be invalidated and reconsidered.
  const node = chain.view.node(late[2]!.hash)!;
  await chain.commands.invalidateBlock(node);
  if (chain.view.tip.height !== 112) throw new Error('cannot leave the branch');
  await chain.commands.reconsiderBlock(node);
  if (chain.view.tip.hashHex !== last.hashHex) throw new Error('cannot take the branch up');
  if (fixture.faults.length > 0) throw fixture.faults[0];
  const { store, dir } = fixture;
  await chain.close();
  const again = await openFixture({ store, dir, maxTipAge: OUT_OF_DOWNLOAD });
  if (again.chain.view.tip.hashHex !== last.hashHex) throw new Error('the start after that is not content');
  await again.end();
  return height;
}

t.test('near the tip: syncs block files a few times, not at each block', (t) => {
  t.ok(syncs >= 1 && syncs <= 4, `${syncs} for nine blocks`);
  t.end();
});

for (const how of ['truncated', 'zeroed'] as const) {
  for (const kind of ['blk', 'rev'] as const) {
    t.test(`rolls back and recovers when the end of ${kind}00000.dat is ${how} near the last blocks`, async (t) => {
      const image = images.at(-1)!;
      for (let back = 1; back <= 4; back++) {
        const start = ends[kind].at(-1 - back)!;
        const end = ends[kind].at(-back)!;
        for (const from of [start, start + 4, start + HEAD + 40, (start + end) >> 1, end - 6]) {
          // Skip this case if the bytes were zeros before.
          const bytes = readFileSync(join(image.dir, `${kind}00000.dat`));
          if (how === 'zeroed' && bytes.subarray(from, end).every((byte) => byte === 0)) continue;
          const opened = await openAgain(image, (dir) => lose(dir, `${kind}00000.dat`, from, how));
          t.match(opened.warnings, [/Rolling the chain back from height 119 to 11\d/]);
          // Lost undo data costs no block: it is written again when the block is connected again from its bytes.
          t.equal(await goesOn(opened), kind === 'blk' ? 119 - back : 119, `${back} blocks, from ${from}`);
        }
      }
    });
  }
}

t.test('rolls back and recovers when both files end early at different blocks', async (t) => {
  for (const [blocks, undo] of [
    [1, 3],
    [3, 1],
    [2, 2],
    [4, 5],
  ] as const) {
    const opened = await openAgain(images.at(-1)!, (dir) => {
      lose(dir, 'blk00000.dat', ends.blk.at(-1 - blocks)! + 20, 'truncated');
      lose(dir, 'rev00000.dat', ends.rev.at(-1 - undo)! + 20, 'zeroed');
    });
    t.match(opened.warnings, [new RegExp(`Rolling the chain back from height 119 to ${119 - Math.max(blocks, undo)}; `)]);
    t.equal(await goesOn(opened), 119 - blocks);
  }
});

t.test('recovers when the database is older than the files, whole or truncated', async (t) => {
  for (let known = 0; known < late.length; known += 2) {
    for (const lost of [0, 1, 3]) {
      const files = images.at(-1)!;
      const opened = await openAgain({ dir: files.dir, rows: images[known]!.rows }, (dir) => {
        if (lost > 0) lose(dir, 'blk00000.dat', ends.blk.at(-1 - lost)! + 100, 'truncated');
      });
      t.ok((await goesOn(opened)) >= Math.min(111 + known, 119 - lost), `knows ${known + 1}, lost ${lost}`);
    }
  }
});

t.test('forgets lost blocks that were stored but not connected, and keeps the coins', async (t) => {
  const fixture = await openFixture({ maxTipAge: IN_DOWNLOAD });
  for (const block of trunk) await fixture.chain.commands.submitBlock(block.bytes);
  await fixture.chain.commands.flush();
  await fixture.chain.commands.submitHeaders(late.map(({ header }) => header));
  // The first block is missing, so the others are stored and not connected.
  const place = readFileSync(join(fixture.dir, 'blk00000.dat')).length;
  for (const { bytes } of late.slice(1)) await fixture.chain.commands.submitBlock(bytes);
  await fixture.chain.commands.submitHeaders([last.header]);
  const image = await imageOf(fixture);
  await fixture.end();
  for (const how of ['truncated', 'zeroed'] as const) {
    const opened = await openAgain(image, (dir) => lose(dir, 'blk00000.dat', place + 20, how));
    t.match(opened.warnings, [
      how === 'truncated' ? /^8 stored blocks are lost with the end of the block files and will be downloaded again/ : /^7 stored blocks/,
    ]);
    t.equal(opened.fixture.chain.blocks.hasBlock(opened.fixture.chain.view.node(late[4]!.hash)!), false);
    t.equal(await goesOn(opened), 110);
  }
});

t.test('restores the only coin when the block that spent it is lost', async (t) => {
  const GONE = Uint8Array.of(0x6a);
  const first = buildBlock(GENESIS);
  const rest = buildChain(first, 100, { script: GONE });
  const spending = buildBlock(rest.at(-1)!, { txs: [spend([reward(first)], [{ value: 0, script: GONE }])], script: GONE });
  mock.timers.enable({ apis: ['setTimeout'] });
  const fixture = await openFixture({ maxTipAge: OUT_OF_DOWNLOAD });
  for (const { bytes } of [first, ...rest]) await fixture.chain.commands.submitBlock(bytes);
  await fixture.chain.commands.flush();
  const place = readFileSync(join(fixture.dir, 'blk00000.dat')).length;
  await fixture.chain.commands.submitBlock(spending.bytes);
  await fixture.chain.commands.flush();
  t.same([...(await coinsOf(fixture))], [], 'the store has no coin');
  const image = await imageOf(fixture);
  await fixture.end();
  mock.timers.reset();
  const { fixture: again } = await openAgain(image, (dir) => lose(dir, 'blk00000.dat', place + 20, 'truncated'));
  t.equal((await coinsOf(again)).size, 1);
  for (const { bytes } of [...rest, spending]) await again.chain.commands.submitBlock(bytes);
  t.equal(again.chain.view.tip.hashHex, spending.hashHex);
  t.same(again.faults, []);
  await again.end();
});

t.test('starts from genesis when nothing of a new folder was synced', async (t) => {
  const synced = { blk: 0, rev: 0 };
  const dir = newFolder();
  const sizeOf = (kind: 'blk' | 'rev'): number => {
    const name = `${kind}00000.dat`;
    return readdirSync(dir).includes(name) ? readFileSync(join(dir, name)).length : 0;
  };
  const fixture = await openFixture({
    dir,
    wrapFiles: (files) => {
      const sync = files.sync.bind(files);
      files.sync = async () => {
        await sync();
        synced.blk = sizeOf('blk');
        synced.rev = sizeOf('rev');
      };
      return files;
    },
  });
  for (const { bytes } of trunk.slice(0, 3)) await fixture.chain.commands.submitBlock(bytes);
  const image = await imageOf(fixture);
  const { blk, rev } = synced;
  t.equal(rev, 0, 'nothing was synced since');
  await fixture.end();
  const opened = await openAgain(image, (copy) => {
    truncateSync(join(copy, 'blk00000.dat'), blk);
    rmSync(join(copy, 'rev00000.dat'));
  });
  const { chain, faults } = opened.fixture;
  t.equal(chain.view.tip.height, 0);
  for (const { bytes } of all) await chain.commands.submitBlock(bytes);
  t.equal(chain.view.tip.hashHex, last.hashHex);
  t.same([...(await coinsOf(opened.fixture))], expected.get(last.hashHex));
  t.same(faults, []);
  await opened.fixture.end();
});

t.test('rejects damaged block files after a clean shutdown instead of rolling back', async (t) => {
  const fixture = await openFixture({ maxTipAge: OUT_OF_DOWNLOAD });
  for (const block of all) await fixture.chain.commands.submitBlock(block.bytes);
  await fixture.chain.close();
  const image = await imageOf(fixture);
  await fixture.end();
  await t.rejects(
    openAgain(image, (dir) => lose(dir, 'blk00000.dat', ends.blk.at(-2)! + 20, 'truncated')),
    { code: 'STORE_CORRUPTION' },
  );
});

t.test('opens an undamaged folder without warnings', async (t) => {
  for (const image of images) {
    const opened = await openAgain(image, () => undefined);
    t.same(opened.warnings, []);
    t.equal(readdirSync(opened.fixture.dir).length > 0, true);
    await goesOn(opened);
  }
});

t.test('rewrites only the damaged undo data of a branch that it connects again', async (t) => {
  const left = await openAgain(images.at(-1)!, () => {});
  const fork = left.fixture.chain.view.node(late[2]!.hash)!;
  await left.fixture.chain.commands.invalidateBlock(fork);
  await left.fixture.chain.commands.flush();
  const image = await imageOf(left.fixture);
  await left.fixture.end();
  for (const damaged of [[], [4], [8], [3, 7, 8]]) {
    const size = (i: number): number => ends.rev[i]! - ends.rev[i - 1]!;
    const { fixture } = await openAgain(image, (dir) => {
      const path = join(dir, 'rev00000.dat');
      const bytes = readFileSync(path);
      for (const i of damaged) bytes.fill(0, ends.rev[i - 1], ends.rev[i]);
      writeFileSync(path, bytes);
    });
    const { chain, dir } = fixture;
    await chain.commands.reconsiderBlock(chain.view.node(late[2]!.hash)!);
    t.equal(chain.view.tip.hashHex, last.hashHex);
    await chain.commands.flush();
    // New records overwrite the zeros at the end of the file.
    const behind = damaged.filter((i) => !(i === 8 || (i === 7 && damaged.includes(8))));
    const grown = behind.reduce((sum, i) => sum + size(i), 0);
    t.equal(readFileSync(join(dir, 'rev00000.dat')).length, ends.rev.at(-1)! + grown, `damaged: ${damaged.join()}`);
    t.ok(await chain.commands.verifyChain(4, 9));
    t.same(fixture.faults, []);
    await fixture.end();
  }
});

t.test('rolls back unsynced blocks after repeated kills and a power loss', async (t) => {
  const names = ['blk00000.dat', 'rev00000.dat'] as const;
  /** For each file, the bytes that are certainly on disk. After the first run these include none of its three blocks. */
  const synced = new Map<string, number>([
    [names[0], ends.blk[0]! - late[0]!.bytes.length - HEAD],
    [names[1], ends.rev[0]!],
  ]);
  const noteSyncs = (dir: string) => (files: BlockFiles) => {
    const sync = files.sync.bind(files);
    files.sync = async () => {
      await sync();
      for (const name of names) synced.set(name, readFileSync(join(dir, name)).length);
    };
    return files;
  };
  let image = images[2]!;
  for (const blocks of [late.slice(3, 6), late.slice(6, 9)]) {
    const dir = newFolder();
    cpSync(image.dir, dir, { recursive: true });
    const store = new MemoryStore();
    await store.batch(image.rows.map(([key, value]) => ({ type: 'put', key, value })));
    const fixture = await openFixture({ store, dir, maxTipAge: OUT_OF_DOWNLOAD, wrapFiles: noteSyncs(dir) });
    for (const { bytes } of blocks) await fixture.chain.commands.submitBlock(bytes);
    await fixture.chain.commands.flush();
    image = await imageOf(fixture);
    const before = new Map(synced);
    // A clean end syncs the files. In the simulated case the process was killed before it, so restore the values.
    await fixture.end();
    for (const [name, bytes] of before) synced.set(name, bytes);
  }
  const opened = await openAgain(image, (dir) => {
    for (const name of names) lose(dir, name, synced.get(name)!, 'truncated');
  });
  t.ok((await goesOn(opened)) >= 110);
  await opened.fixture.end();
});
