// Rebuilding from block files: -reindex and -reindex-chainstate, folders of other nodes (XOR key, any order, damage
// between blocks), kills on the way, and the options around them: -blocksdir, -stopatheight, -checkblocks,
// -assumevalid, -minimumchainwork.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { GENESIS_BYTES, writeBlocksFolder } from '../framework/blocks-folder.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, NO_ONE, reward, spend } from '../framework/chain-builder.js';
import { coinFigures } from '../framework/coin-figures.js';
import { Daemon } from '../framework/daemon.js';
import { cases, nightlyTest } from '../framework/depth.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { PATIENCE_MS, until } from '../framework/until.js';

/** Makes blocks with spends; every tenth has a sibling that loses. */
function plannedChain(length: number): { main: BuiltBlock[]; stale: BuiltBlock[] } {
  const main = buildChain(GENESIS, 101);
  const stale: BuiltBlock[] = [];
  while (main.length < length) {
    const prev = main.at(-1)!;
    const coin = reward(main[main.length - 101]!);
    const tx = spend([coin], [{ value: coin.value - 500, script: ANYONE }]);
    if (prev.height % 10 === 0) stale.push(buildBlock(prev, { tag: 1 }));
    main.push(buildBlock(prev, { txs: [tx], fees: 500 }));
  }
  return { main, stale };
}

const { main, stale } = plannedChain(160);
const tip = main.at(-1)!;

const log = (node: Daemon): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');

/** Waits for one more "Done loading" than there were. */
async function loaded(node: Daemon, before = 0): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(20)) {
    if (node.exit) throw new Error(`the daemon ended: ${node.output()}`);
    if (log(node).split('Done loading').length - 1 > before) return;
  }
  throw new Error(`still loading: ${log(node).slice(-500)}`);
}
const doneSoFar = (node: Daemon): number =>
  fs.existsSync(path.join(node.networkDir, 'debug.log')) ? log(node).split('Done loading').length - 1 : 0;

async function upLoaded(node: Daemon, ...options: string[]): Promise<void> {
  const before = doneSoFar(node);
  await node.up(...options);
  await loaded(node, before);
}

function temporary(t: Test): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-reindex-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Name, size and content of every file of a folder. */
const fingerprint = (dir: string): string[] =>
  fs
    .readdirSync(dir)
    .sort()
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(fs.readFileSync(path.join(dir, name)))
          .digest('hex')}`,
    );

/** Everything in the wrong order: children before parents, also across files. */
function shuffled(seed: number): Buffer[] {
  const random = pseudoRandom(seed);
  const all = [...main, ...stale].map((block) => ({ bytes: block.bytes, at: random() }));
  all.sort((a, b) => a.at - b.at);
  return [GENESIS_BYTES, ...all.map(({ bytes }) => bytes)];
}

async function submitAll(node: Daemon): Promise<void> {
  for (const block of main.slice(0, 150)) await node.call('submitblock', block.bytes.toString('hex'));
  for (const block of stale) await node.call('submitblock', block.bytes.toString('hex'));
  for (const block of main.slice(150)) await node.call('submitblock', block.bytes.toString('hex'));
}

t.test('-reindex and -reindex-chainstate rebuild the same chainstate', async (t) => {
  const node = await Daemon.startFor(t, '-txindex', '-coinstatsindex');
  await submitAll(node);
  const figures = await coinFigures(node);
  const muhash = (await node.call('gettxoutsetinfo', 'muhash')).muhash;
  const tips = await node.call('getchaintips');
  t.equal(figures.height, 160);
  await node.stop();
  const blocks = path.join(node.networkDir, 'blocks');
  const blk = fs.readFileSync(path.join(blocks, 'blk00000.dat'));
  const rev = fs.readFileSync(path.join(blocks, 'rev00000.dat'));

  const check = async (what: string): Promise<void> => {
    t.comment(what);
    t.same(await coinFigures(node), figures);
    t.equal(await node.call('getbestblockhash'), tip.hashHex);
    t.equal(await node.call('verifychain', 4, 0), true);
    await until('the indexes are in step', async () =>
      Object.values(await node.call('getindexinfo')).every((index) => (index as { synced: boolean }).synced),
    );
    t.equal((await node.call('gettxoutsetinfo', 'muhash')).muhash, muhash);
    t.match(await node.call('getrawtransaction', Buffer.from(tip.txids[1]!).reverse().toString('hex'), true), { blockhash: tip.hashHex });
    await node.stop();
    t.ok(blk.equals(fs.readFileSync(path.join(blocks, 'blk00000.dat'))), 'the block files stay as they are');
    t.notOk(fs.existsSync(path.join(node.networkDir, 'REBUILD')));
  };
  await upLoaded(node, '-reindex-chainstate');
  await check('coins');
  t.ok(rev.equals(fs.readFileSync(path.join(blocks, 'rev00000.dat'))), 'undo data stays too');
  await upLoaded(node, '-reindex');
  t.match(log(node), /Reindexing: 100\.0%, 16[0-9] blocks, height 0, \d+ blocks\/s, 0 s left/);
  t.match(log(node), /Connecting stored blocks: height 160 of 160 \(100\.0%\), \d+ blocks\/s, 0 s left/);
  const after = await node.call('getchaintips');
  t.same(
    after.map(({ height, hash }: { height: number; hash: string }) => [height, hash]).sort(),
    tips.map(({ height, hash }: { height: number; hash: string }) => [height, hash]).sort(),
    'stale branches are there again',
  );
  await check('everything');
  // From nothing but the block files, as after a lost database.
  fs.rmSync(path.join(node.networkDir, 'chainstate'), { recursive: true });
  fs.rmSync(path.join(blocks, 'rev00000.dat'));
  await upLoaded(node, '-reindex');
  await check('without a database');
});

t.test("another node's folder: XOR key, any order, damage, several files", async (t) => {
  const dir = path.join(temporary(t), 'blocks');
  writeBlocksFolder(dir, shuffled(1), {
    xorKey: Buffer.from('a1b2c3d4e5f60718', 'hex'),
    perFile: 40,
    junk: Buffer.from('fabfb5da00', 'hex'),
  });
  const untouched = fingerprint(dir);
  t.equal(untouched.length, 6, 'five files and a key');

  const reader = await Daemon.startFor(t, `-loadblock=${dir}`);
  await loaded(reader);
  t.equal(await reader.call('getbestblockhash'), tip.hashHex, '-loadblock of the folder');
  const figures = await coinFigures(reader);
  t.match(log(reader), new RegExp(`Imported ${main.length + stale.length} blocks from ${dir}`));
  t.match(log(reader), /Importing \S+: 100\.0%, \d+ blocks, height \d+, \d+ blocks\/s, 0 s left/);
  await reader.stop();
  t.same(fingerprint(dir), untouched, 'it was only read');

  // As its own folder, named by -blocksdir.
  const base = temporary(t);
  fs.cpSync(dir, path.join(base, 'regtest', 'blocks'), { recursive: true });
  const owner = await Daemon.startFor(t, `-blocksdir=${base}`, '-checklevel=4', '-checkblocks=0');
  t.equal(await owner.call('getblockcount'), 0);
  await owner.stop();
  await upLoaded(owner, '-reindex');
  t.same(await coinFigures(owner), figures);
  const next = buildBlock(tip);
  t.equal(await owner.call('submitblock', next.bytes.toString('hex')), null, 'and it goes on under the key');
  await owner.stop();
  await owner.up();
  t.equal(await owner.call('getbestblockhash'), next.hashHex);
  const file = fs.readFileSync(path.join(base, 'regtest', 'blocks', 'blk00004.dat'));
  t.notOk(file.includes(next.bytes.subarray(0, 80)), 'the new block is not there in the clear');
});

t.test('continues a rebuild after a kill', async (t) => {
  const random = pseudoRandom(5);
  const node = await Daemon.startFor(t);
  await submitAll(node);
  const figures = await coinFigures(node);
  await node.stop();
  const count = (phrase: string): number => log(node).split(phrase).length;
  for (const [option, ...phrases] of cases(1, [
    ['-reindex', 'removing the database', 'Connecting 1', 'reading the block files', 'reading the block files', 'Connecting stored'],
    ['-reindex-chainstate', 'removing all coins', 'Verifying', 'Connecting 1', 'Connecting stored'],
  ] as const)) {
    const seen: string[] = [];
    for (const [kill, phrase] of cases(1, phrases).entries()) {
      const [before, done] = [count(phrase), count('Done loading')];
      // Given only the first time: the rest is taken up from where it was.
      const started = node.up(...(kill === 0 ? [option, '-dbcache=4'] : [])).catch(() => {});
      while (count(phrase) === before && count('Done loading') === done && !node.exit) await sleep(1);
      await sleep(random() * 40);
      await node.kill();
      await started;
      const note = path.join(node.networkDir, 'REBUILD');
      seen.push(fs.existsSync(note) ? fs.readFileSync(note, 'utf8').trim() : 'no note');
    }
    t.comment(`${option}: ${seen.join(', ')}`);
    await upLoaded(node);
    t.same(await coinFigures(node), figures, option);
    t.equal(await node.call('verifychain', 4, 0), true);
    t.same(await node.stop(), { code: 0, signal: null });
  }
});

nightlyTest('killed among the files of the database', async (t) => {
  const node = await Daemon.startFor(t);
  await submitAll(node);
  const figures = await coinFigures(node);
  await node.stop();
  // As a process leaves it that died while it removed what it had put aside.
  const folder = path.join(node.networkDir, 'chainstate');
  const aside = `${folder}.old`;
  fs.renameSync(folder, aside);
  for (const name of fs.readdirSync(aside)) if (name.endsWith('.sst') || name === 'CURRENT') fs.rmSync(path.join(aside, name));
  fs.writeFileSync(path.join(node.networkDir, 'REBUILD'), 'all wipe\n');
  await upLoaded(node);
  t.same(await coinFigures(node), figures);
  t.notOk(fs.existsSync(aside), 'nothing is left over');
});

t.test('stops at -stopatheight', async (t) => {
  const dir = path.join(temporary(t), 'blocks');
  writeBlocksFolder(dir, [GENESIS_BYTES, ...main.map(({ bytes }) => bytes)]);
  const node = await Daemon.startFor(t);
  await node.stop();
  await node.up(`-loadblock=${dir}`, '-stopatheight=50').catch(() => {});
  t.same(await node.ended(), { code: 0, signal: null });
  t.match(log(node), /Stopping at height 50, as -stopatheight asks/);
  await node.up();
  t.equal(await node.call('getblockcount'), 50);
  await submitAll(node);
  t.equal(await node.call('getblockcount'), 160);
  await node.stop();
  await node.up('-reindex', '-stopatheight=70').catch(() => {});
  t.same(await node.ended(), { code: 0, signal: null });
  await node.up('-stopatheight=80').catch(() => {});
  t.same(await node.ended(), { code: 0, signal: null });
  t.match(log(node), /Stopping at height 80/, 'one height after the other');
  await upLoaded(node);
  t.equal(await node.call('getbestblockhash'), tip.hashHex);
});

nightlyTest('stop while blocks are being loaded', async (t) => {
  const dir = path.join(temporary(t), 'blocks');
  writeBlocksFolder(dir, [GENESIS_BYTES, ...main.map(({ bytes }) => bytes)]);
  const node = await Daemon.startFor(t, ...Array.from({ length: 30 }, () => `-loadblock=${dir}`));
  t.same(await node.stop(), { code: 0, signal: null });
  await node.up('-checkblocks=0', '-checklevel=4');
  t.match(await node.call('getblockcount'), Number);
});

nightlyTest('-checkblocks looks as deep as it is told', async (t) => {
  const node = await Daemon.startFor(t);
  await submitAll(node);
  await node.stop();
  const blk = path.join(node.networkDir, 'blocks', 'blk00000.dat');
  const bytes = fs.readFileSync(blk);
  const at = bytes.indexOf(main[120]!.txs[0]!.outs[1]!.script);
  bytes[at + 10]! ^= 1;
  fs.writeFileSync(blk, bytes);
  await node.up();
  await node.stop();
  await t.rejects(node.up('-checkblocks=50'), /the daemon ended/);
  t.match(node.output(), /Error: Corrupted block database detected\. Please restart with -reindex or -reindex-chainstate to recover\./);
  await node.up('-checkblocks=50', '-checklevel=0');
});

nightlyTest('-assumevalid skips scripts below a deeply buried block, and only there', async (t) => {
  const trunk = buildChain(GENESIS, 101, { script: NO_ONE });
  const coin = reward(trunk[0]!);
  // Spends what nobody can spend: only the script says so.
  const bad = buildBlock(trunk.at(-1)!, { txs: [spend([coin], [{ value: coin.value, script: ANYONE }])] });
  const rest = buildChain(bad, 2_150);
  const dir = path.join(temporary(t), 'regtest', 'blocks');
  writeBlocksFolder(dir, [GENESIS_BYTES, ...[...trunk, bad, ...rest].map(({ bytes }) => bytes)]);
  const node = await Daemon.startFor(t, `-blocksdir=${path.dirname(path.dirname(dir))}`);
  await node.stop();
  const heightWith = async (...options: string[]): Promise<number> => {
    await upLoaded(node, '-reindex', '-checklevel=0', ...options);
    const height = await node.call('getblockcount');
    await node.stop();
    return height;
  };
  t.equal(await heightWith(), 101, 'regtest has none of its own');
  t.equal(await heightWith(`-assumevalid=${rest[200]!.hashHex}`), 2_252, 'an ancestor of it');
  t.match(log(node), `Assuming ancestors of block ${rest[200]!.hashHex} have valid signatures.`);
  t.match(log(node), 'Validating signatures for all blocks.');
  t.equal(await heightWith(`-assumevalid=${trunk[50]!.hashHex}`), 101, 'not an ancestor');
  t.equal(await heightWith(`-assumevalid=${rest[200]!.hashHex}`, '-minimumchainwork=10000'), 101, 'a chain with too little work');
});

t.test('stays in initial download below -minimumchainwork', async (t) => {
  const node = await Daemon.startFor(t, '-minimumchainwork=0x65');
  const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
  // Two units of work a block on regtest, genesis included: 0x65 is reached by 50 blocks.
  await node.call('generatetoaddress', 49, address);
  t.equal((await node.call('getblockchaininfo')).initialblockdownload, true);
  await node.call('generatetoaddress', 1, address);
  t.equal((await node.call('getblockchaininfo')).initialblockdownload, false);
});
