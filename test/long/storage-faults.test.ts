// A damaged or foreign data folder, and a full disk. The node reports the fault and exits with status 1, or repairs it.
// It never shows a stack trace, never continues with coins that it cannot trust, and loses nothing that it
// acknowledged.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { BlockTree, branch, ROOT, type TreeBlock } from '../framework/block-tree.js';
import { ANYONE, buildBlock, GENESIS } from '../framework/chain-builder.js';
import { coinFigures } from '../framework/coin-figures.js';
import { Daemon, daemonFile } from '../framework/daemon.js';
import { cases, nightlyTest } from '../framework/depth.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { PATIENCE_MS, until } from '../framework/until.js';

const startTime = Math.floor(Date.now() / 1000) - 3600;
const tree = new BlockTree(pseudoRandom(11), startTime);
let tip: TreeBlock = ROOT;
for (let i = 0; i < 112; i++) tip = tree.grow(tip, 3);
const chain = branch(tip);
const isRoot = process.getuid?.() === 0;

/** The folder of a node that received the chain and was stopped. */
let sound: Daemon;
t.before(async () => {
  sound = await Daemon.start();
  await submit(sound, chain);
  await sound.stop();
});
t.teardown(() => sound?.remove());

/** A node that has the chain and was stopped. */
async function stopped(t: Test): Promise<{ node: Daemon; blk: string; rev: string; db: string }> {
  const node = await Daemon.over(sound.dir);
  t.teardown(() => node.remove());
  const blocks = path.join(node.networkDir, 'blocks');
  return {
    node,
    blk: path.join(blocks, 'blk00000.dat'),
    rev: path.join(blocks, 'rev00000.dat'),
    db: path.join(node.networkDir, 'chainstate'),
  };
}

async function submit(node: Daemon, blocks: readonly { bytes: Buffer }[]): Promise<void> {
  for (const block of blocks) {
    const answer = await node.call('submitblock', block.bytes.toString('hex'));
    if (answer !== null) throw new Error(`a block was refused: ${answer}`);
  }
}

/** One clear line on stderr, no stack. */
function saysWhy(t: Test, node: Daemon, before: number, message: RegExp): void {
  const said = node.output().slice(before);
  t.match(said, message);
  t.match(said, /^Error: .+\n$/, 'in one line');
  t.notMatch(said, /\n +at /, 'without a stack');
}

/** Checks that starting fails with status 1 and this message. */
async function refuses(t: Test, node: Daemon, message: RegExp): Promise<void> {
  const before = node.output().length;
  await t.rejects(node.up(), { message: /the daemon ended/ });
  t.same(node.exit, { code: 1, signal: null });
  saysWhy(t, node, before, message);
}

const flip = (file: string, at: number): void => {
  const handle = fs.openSync(file, 'r+');
  const byte = Buffer.alloc(1);
  const position = at < 0 ? fs.fstatSync(handle).size + at : at;
  fs.readSync(handle, byte, 0, 1, position);
  byte[0]! ^= 0x40;
  fs.writeSync(handle, byte, 0, 1, position);
  fs.closeSync(handle);
};
const shorten = (file: string, bytes: number): void => fs.truncateSync(file, fs.statSync(file).size - bytes);

t.test('cuts off a torn record behind the last known one', async (t) => {
  const { node, blk, rev } = await stopped(t);
  const [blkSize, revSize] = [fs.statSync(blk).size, fs.statSync(rev).size];
  // A kill during an append leaves a header that announces more bytes than the file has.
  fs.appendFileSync(blk, Buffer.concat([Buffer.from('fabfb5da', 'hex'), Buffer.from([0, 2, 0, 0]), Buffer.alloc(100, 7)]));
  fs.appendFileSync(rev, Buffer.concat([Buffer.from('fabfb5da', 'hex'), Buffer.from([0, 2, 0, 0]), Buffer.alloc(100, 7)]));
  await node.up();
  t.equal(await node.call('getbestblockhash'), tip.hashHex);
  const next = tree.grow(tip, 3);
  await submit(node, [next]);
  t.equal(await node.call('verifychain', 4, 0), true);
  t.same(await node.stop(), { code: 0, signal: null });
  t.equal(fs.statSync(blk).size, blkSize + 8 + next.bytes.length, 'the block stands where the torn record was');
  t.ok(fs.statSync(rev).size < revSize + 8 + 512, 'so does its undo data');
});

t.test('handles a block that the index knows and the file lacks', async (t) => {
  const { node, blk } = await stopped(t);
  shorten(blk, 10);
  await refuses(t, node, /blk00000\.dat lacks a block at \d+ that is in the block index: .* Start with -reindex/);
  fs.rmSync(blk);
  await refuses(t, node, /blk00000\.dat/);
});

t.test('handles a block whose bytes changed', async (t) => {
  const { node, blk } = await stopped(t);
  const original = fs.readFileSync(blk);
  const last = original.length - tip.bytes.length;
  for (const [what, at] of cases(1, [
    ['its header', last + 40],
    ['its transactions', original.length - 6],
    ['its head', last - 4],
  ] as const)) {
    t.comment(what);
    fs.writeFileSync(blk, original);
    flip(blk, at);
    const before = node.output().length;
    const starts = await node.up().then(
      () => true,
      () => false,
    );
    if (!starts) {
      t.same(node.exit, { code: 1, signal: null });
      saysWhy(t, node, before, /blk00000\.dat|^Error: Corrupted block database detected\. Please restart with -reindex/);
      continue;
    }
    t.equal(await node.call('verifychain', 4, 3), false, 'verifychain finds it');
    t.equal(await node.call('getblockcount'), tip.height);
    t.same(await node.stop(), { code: 0, signal: null });
  }
  fs.writeFileSync(blk, original);
  await node.up();
  t.equal(await node.call('verifychain', 4, 0), true, 'sound again with the bytes back');
});

/** Where in a file, of which this is the last block, the script of its reward stands. */
const rewardScript = (blk: string, block: TreeBlock): number =>
  fs.statSync(blk).size - block.bytes.length + block.bytes.indexOf(block.txs[0]!.outs[0]!.script);

t.test('handles a damaged block that must be disconnected', async (t) => {
  const { node, blk } = await stopped(t);
  const at = rewardScript(blk, tip);
  flip(blk, at);
  await refuses(t, node, /Corrupted block database detected/);
  await node.up('-checklevel=0');
  const rival = tree.grow(tip.prev);
  const longer = tree.grow(rival);
  const before = node.output().length;
  t.equal(await node.call('submitblock', rival.bytes.toString('hex')), 'inconclusive');
  const answer = await node.call('submitblock', longer.bytes.toString('hex')).catch((error) => error.message);
  t.type(answer, 'string', 'not accepted');
  t.same(await node.ended(), { code: 1, signal: null });
  saysWhy(t, node, before, new RegExp(tip.hashHex));
  flip(blk, at);
  await node.up();
  t.equal(await node.call('getbestblockhash'), longer.hashHex, 'with the bytes back it goes on where it was stopped');
  t.equal(await node.call('verifychain', 4, 0), true);
});

nightlyTest('a damaged block that has to be put on', async (t) => {
  const { node, blk } = await stopped(t);
  await node.up();
  const rival = tree.grow(tip.prev);
  const longer = tree.grow(rival);
  t.equal(await node.call('submitblock', rival.bytes.toString('hex')), 'inconclusive');
  flip(blk, rewardScript(blk, rival));
  t.equal(await node.call('submitblock', longer.bytes.toString('hex')), 'inconclusive');
  t.equal(await node.call('getbestblockhash'), tip.hashHex, 'it stays where it can stand');
  t.equal(await node.call('submitblock', rival.bytes.toString('hex')), null, 'the block may be given once more');
  t.equal(await node.call('getbestblockhash'), longer.hashHex);
  t.equal(await node.call('verifychain', 4, 0), true);
  t.same(await node.stop(), { code: 0, signal: null });
  await node.up();
  t.equal(await node.call('getbestblockhash'), longer.hashHex);
});

for (const [what, damage] of cases(1, [
  ['undo data that is cut short', (rev: string) => shorten(rev, 40)],
  ['undo data that changed', (rev: string) => flip(rev, -5)],
  ['undo data that is missing', (rev: string) => fs.rmSync(rev)],
] as const)) {
  t.test(what, async (t) => {
    const { node, rev } = await stopped(t);
    damage(rev);
    const before = node.output().length;
    try {
      await node.up();
    } catch {
      t.same(node.exit, { code: 1, signal: null });
      saysWhy(t, node, before, /rev00000\.dat/);
      return;
    }
    t.equal(await node.call('getbestblockhash'), tip.hashHex);
    t.equal(await node.call('verifychain', 4, 3), false, 'verifychain finds it');
    const answer = await node.call('invalidateblock', tip.hashHex).catch((error) => error.message);
    t.type(answer, 'string');
    t.same(await node.ended(), { code: 1, signal: null });
    saysWhy(t, node, before, /rev00000\.dat/);
  });
}

nightlyTest('a database of another kind', async (t) => {
  const { node, db } = await stopped(t);
  const file = path.join(db, 'ENGINE');
  const original = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, original.replace(/^engine: .*$/m, 'engine: somedb'));
  await refuses(t, node, /written by engine somedb/);
  fs.writeFileSync(file, original.replace(/^format: .*$/m, 'format: 99'));
  await refuses(t, node, /format 99/);
  fs.writeFileSync(file, '\0\0\0');
  await refuses(t, node, /ENGINE is unreadable/);
  fs.rmSync(file);
  await refuses(t, node, /database that adit did not create/);
  fs.writeFileSync(file, original);
  await node.up();
  t.equal(await node.call('getbestblockhash'), tip.hashHex, 'untouched by all that');
});

t.test('refuses to start with a damaged database', async (t) => {
  const { node, db } = await stopped(t);
  const current = path.join(db, 'CURRENT');
  const original = fs.readFileSync(current);
  fs.writeFileSync(current, 'no list of tables\n');
  await refuses(t, node, /chainstate/);
  fs.rmSync(current);
  await refuses(t, node, /chainstate/);
  fs.writeFileSync(current, original);
  await node.up();
  t.equal(await node.call('getbestblockhash'), tip.hashHex);
  await node.kill();
  for (const name of fs.readdirSync(db).filter((one) => /\.(sst|log)$/.test(one))) {
    const file = path.join(db, name);
    const { size } = fs.statSync(file);
    for (let at = 64; at < size; at += 97) flip(file, at);
  }
  const before = node.output().length;
  await node.up().then(
    () => node.call('verifychain', 4, 0).catch(() => {}),
    () => {},
  );
  if (node.exit === undefined) t.not(await node.call('getblockcount').catch(() => -1), tip.height, 'it does not pretend to know the chain');
  else {
    t.equal(node.exit.code, 1);
    saysWhy(t, node, before, /./);
  }
});

t.test("Bitcoin Core's folder", async (t) => {
  const { node } = await stopped(t);
  const index = path.join(node.networkDir, 'blocks', 'index');
  fs.mkdirSync(index);
  fs.writeFileSync(path.join(index, 'CURRENT'), 'MANIFEST-000001\n');
  await refuses(t, node, /belongs to Bitcoin Core/);
});

t.test('refuses the data folder of another network', async (t) => {
  const { node } = await stopped(t);
  const signet = path.join(node.dir, 'signet');
  fs.renameSync(node.networkDir, signet);
  const done = spawnSync(process.execPath, [daemonFile, '-signet', `-datadir=${node.dir}`, '-printtoconsole=0'], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  });
  t.equal(done.status, 1);
  t.match(done.stderr, /^Error: .*[Ww]rong.*\n$/);
});

t.test('refuses a folder without write permission', async (t) => {
  const { node } = await stopped(t);
  fs.chmodSync(node.dir, 0o755);
  fs.chmodSync(node.networkDir, 0o555);
  t.teardown(() => fs.chmodSync(node.networkDir, 0o700));
  // Root may write to every file, so the process runs as another user.
  const other = isRoot ? { uid: 65_534, gid: 65_534 } : {};
  const args = [daemonFile, '-regtest', `-datadir=${node.dir}`, '-printtoconsole=0'];
  const done = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: PATIENCE_MS, ...other });
  t.equal(done.status, 1);
  t.match(done.stderr, /^Error: Cannot write to data directory .*; check permissions\. \(EACCES\)\n$/);
});

/** A small file system of its own, where this may be made. */
function smallDisk(t: Test, megabytes: number): string | null {
  const dir = fs.mkdtempSync('/tmp/adit-disk-');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir], { stdio: 'ignore' });
  } catch {
    fs.rmdirSync(dir);
    return null;
  }
  t.teardown(() => {
    execFileSync('umount', [dir]);
    fs.rmdirSync(dir);
  });
  return dir;
}

async function fullDisk(t: Test, withBlocks: boolean): Promise<void> {
  const disk = smallDisk(t, 24);
  if (disk === null) {
    t.pass('no file system can be mounted here', { skip: 'not allowed to mount' });
    return;
  }
  const roomy = fs.mkdtempSync('/tmp/adit-blocks-');
  t.teardown(() => fs.rmSync(roomy, { recursive: true, force: true }));
  const node = await Daemon.startFor(t, ...(withBlocks ? [] : [`-blocksdir=${roomy}`]));
  await node.stop();
  // The daemon's folder moves onto the small disk. A ballast file leaves little free space.
  fs.cpSync(node.networkDir, path.join(disk, 'regtest'), { recursive: true });
  fs.rmSync(node.networkDir, { recursive: true });
  fs.symlinkSync(path.join(disk, 'regtest'), node.networkDir);
  await node.up();
  const ballast = path.join(disk, 'ballast');
  const { bavail, bsize } = fs.statfsSync(disk);
  fs.writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - (3 << 20))));

  const before = node.output().length;
  const outs = Array.from({ length: 200 }, () => ({ value: 0, script: Buffer.concat([ANYONE, Buffer.alloc(500, 0x61)]) }));
  const acknowledged = [];
  const all = [];
  for (let block = GENESIS; ; ) {
    block = buildBlock(block, { time: block === GENESIS ? startTime : block.time + 1, outs, tag: 3 });
    all.push(block);
    const answer = await node.call('submitblock', block.bytes.toString('hex')).catch(() => 'gone');
    if (answer !== null) break;
    acknowledged.push(block);
    if (acknowledged.length > 400) throw new Error('the disk never fills');
  }
  t.same(await node.ended(), { code: 1, signal: null }, `it stops after ${acknowledged.length} blocks`);
  saysWhy(t, node, before, /space|disk|full/i);
  t.ok(acknowledged.length > 5);

  // Still full: it may refuse to start, but not by crashing.
  const again = node.output().length;
  await node
    .up()
    .then(() => node.stop())
    .catch(async (error) => t.same(await node.ended(), { code: 1, signal: null }, error.message));
  t.notMatch(node.output().slice(again), /\n +at /);

  fs.rmSync(ballast);
  await node.up();
  t.ok((await node.call('getblockcount')) >= acknowledged.length, 'with room again, everything acknowledged is there');
  t.equal(await node.call('getblockhash', acknowledged.length), acknowledged.at(-1)!.hashHex);
  const rest = all.slice(await node.call('getblockcount'));
  await submit(node, rest);
  t.equal(await node.call('getblockcount'), all.length, 'and it goes on');
  t.equal(await node.call('verifychain', 4, 0), true);
  const figures = await coinFigures(node);
  t.equal(figures.txouts, all.length * 201);
  t.same(await node.stop(), { code: 0, signal: null });
}

t.test('stops cleanly on a full disk under block files and database', (t) => fullDisk(t, true));
nightlyTest('a full disk under the database alone', (t) => fullDisk(t, false));

t.test('unloads a wallet on a full disk and keeps the node running', async (t) => {
  const disk = smallDisk(t, 32);
  if (disk === null) {
    t.pass('no file system can be mounted here', { skip: 'not allowed to mount' });
    return;
  }
  const node = await Daemon.startFor(t, `-walletdir=${disk}`, '-keypool=10');
  await submit(node, chain);
  await node.call('createwallet', 'purse');
  const ballast = path.join(disk, 'ballast');
  const { bavail, bsize } = fs.statfsSync(disk);
  fs.writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - (1 << 20))));
  const given: string[] = [];
  // A label of some length, so that the disk fills soon.
  for (const label = 'x'.repeat(20_000); node.exit === undefined && given.length < 2_000; ) {
    const address = await node.call('getnewaddress', `${label}${given.length}`).catch(() => null);
    if (address === null) break;
    given.push(address);
  }
  t.ok(given.length > 5 && given.length < 2_000, `${given.length} addresses were given out`);
  t.equal(await node.call('getbestblockhash'), tip.hashHex, 'the node goes on without what the wallet cannot keep');
  // The call is refused before the wallet's own work fails.
  const failed = /The listener "wallet purse" failed.*(?:space|disk full)/is;
  await until('the log names the wallet', async () => failed.test(fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8')));
  fs.rmSync(ballast);
  t.same(await node.stop(), { code: 0, signal: null });
  await node.up('-wallet=purse');
  t.equal(await node.call('getbestblockhash'), tip.hashHex, 'the chain is where it was');
  const known = await Promise.all(given.map((address) => node.call('getaddressinfo', address)));
  t.ok(
    known.every(({ ismine }) => ismine),
    'every address that was given out is still known',
  );
  t.type(await node.call('getnewaddress'), 'string');
  t.same(await node.stop(), { code: 0, signal: null });
});

nightlyTest('a full disk while everything is rebuilt', async (t) => {
  const disk = smallDisk(t, 48);
  if (disk === null) {
    t.pass('no file system can be mounted here', { skip: 'not allowed to mount' });
    return;
  }
  const { node } = await stopped(t);
  fs.cpSync(node.networkDir, path.join(disk, 'regtest'), { recursive: true });
  fs.rmSync(node.networkDir, { recursive: true });
  fs.symlinkSync(path.join(disk, 'regtest'), node.networkDir);
  const ballast = path.join(disk, 'ballast');
  const log = path.join(disk, 'regtest', 'debug.log');
  const before = node.output().length;
  const started = node.up('-reindex').catch(() => {});
  while (!fs.readFileSync(log, 'utf8').includes('removing the database') && node.exit === undefined) await sleep(1);
  // Space that the rebuilding frees is filled too.
  for (let piece = 1 << 20, i = 0; i < 5_000 && node.exit === undefined; i++) {
    try {
      fs.appendFileSync(ballast, Buffer.alloc(piece));
    } catch {
      piece = Math.max(4096, piece >> 1);
      await sleep(1);
    }
  }
  await started;
  t.same(node.exit, { code: 1, signal: null }, 'it stops');
  saysWhy(t, node, before, /Make room on the disk and start again/);
  fs.rmSync(ballast);
  await node.up();
  for (const deadline = Date.now() + PATIENCE_MS; (await node.call('getblockcount')) < tip.height && Date.now() < deadline; );
  t.equal(await node.call('getbestblockhash'), tip.hashHex, 'with room it goes on by itself');
  t.equal(await node.call('verifychain', 4, 0), true);
  t.same(await node.stop(), { code: 0, signal: null });
});

t.test('locks block files to one node at a time', async (t) => {
  const blocksDir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-blocks-'));
  t.teardown(() => fs.rmSync(blocksDir, { recursive: true, force: true }));
  const first = await Daemon.startFor(t, `-blocksdir=${blocksDir}`);
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-blocks-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const { status, stderr } = spawnSync(
    process.execPath,
    [daemonFile, '-regtest', `-datadir=${dir}`, `-blocksdir=${blocksDir}`, '-printtoconsole=0'],
    { timeout: PATIENCE_MS, encoding: 'utf8' },
  );
  t.equal(status, 1);
  t.match(stderr, /^Error: Cannot obtain a lock on directory \S+blocks\. adit is probably already running\.\n$/);
  await first.kill();
  await first.up();
  t.equal(await first.call('getblockcount'), 0, 'a dead process keeps nothing');
  t.same(await first.stop(), { code: 0, signal: null });
});
