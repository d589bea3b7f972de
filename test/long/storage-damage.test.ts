// Flipped bytes in every kind of file of a data folder. Each start either repairs the damage, continues without the
// file and logs it, or refuses with one line that names the next step. Nothing else in the folder changes, and the next
// step works.
import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { BlockTree, branch, ROOT, type TreeBlock } from '../framework/block-tree.js';
import { coinFigures } from '../framework/coin-figures.js';
import { Daemon } from '../framework/daemon.js';
import { cases, nightlyTest } from '../framework/depth.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { PATIENCE_MS } from '../framework/until.js';

const OPTIONS = ['-fronts=1', '-par=1', '-txindex', '-blockfilterindex', '-coinstatsindex', '-wallet=purse'];
const XOR_KEY = Buffer.from('0102030405060708', 'hex');
const tree = new BlockTree(pseudoRandom(21), Math.floor(Date.now() / 1000) - 3600);
let tip: TreeBlock = ROOT;
for (let i = 0; i < 115; i++) tip = tree.grow(tip, 3);

let node: Daemon;
/** The undamaged folder, with which every case begins. */
let sound: string;
let figures: unknown;
let address: string;

const log = (): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
const inFolder = (...parts: string[]): string => path.join(node.networkDir, ...parts);
const blk = (): string => inFolder('blocks', 'blk00000.dat');

t.before(async () => {
  node = await Daemon.start(...OPTIONS.filter((option) => !option.startsWith('-wallet')));
  await node.stop();
  // A folder under a key, so that this file too can be damaged.
  fs.writeFileSync(inFolder('blocks', 'xor.dat'), XOR_KEY);
  for (const name of ['blk00000.dat', 'chainstate']) fs.rmSync(inFolder(name === 'chainstate' ? '' : 'blocks', name), { recursive: true });
  await node.up();
  await node.call('createwallet', 'purse');
  address = await node.call('getnewaddress');
  for (const block of branch(tip).slice(0, -1)) await node.call('submitblock', block.bytes.toString('hex'));
  await node.stop();
  // Each start moves the log of the one before into tables.
  await node.up('-wallet=purse');
  await node.call('submitblock', tip.bytes.toString('hex'));
  let payment: string | null = null;
  while (payment === null) payment = tree.payment(tip);
  await node.call('sendrawtransaction', payment);
  figures = await coinFigures(node);
  t.equal((await node.call('getrawmempool')).length, 1);
  await node.stop();
  sound = `${node.dir}-sound`;
  fs.cpSync(node.dir, sound, { recursive: true });
});
t.teardown(async () => {
  await node?.remove();
  if (sound) fs.rmSync(sound, { recursive: true, force: true });
});
t.beforeEach(async () => {
  if (node.exit === undefined) await node.kill();
  fs.rmSync(node.dir, { recursive: true, force: true });
  fs.cpSync(sound, node.dir, { recursive: true });
});

/**
 * Flips a bit of some bytes.
 * @param places positions as parts of the file's length, or as bytes from its start if above 1
 */
function flip(file: string, ...places: number[]): void {
  const bytes = fs.readFileSync(file);
  for (const place of places) bytes[place < 1 ? Math.floor(place * bytes.length) : place]! ^= 0x40;
  fs.writeFileSync(file, bytes);
}

const only = (dir: string, kind: RegExp): string[] =>
  fs
    .readdirSync(inFolder(dir))
    .filter((name) => kind.test(name))
    .map((name) => inFolder(dir, name));

const up = (...options: string[]): Promise<void> => node.up(...OPTIONS.slice(5), ...options);

/** Checks that the node has ended, or ends, with this message as its only output. */
async function refusal(t: Test, message: RegExp): Promise<void> {
  t.same(await node.ended(), { code: 1, signal: null });
  const said = node.output();
  t.match(said, message);
  t.match(said, /^Error: .+\n$/, 'in one line, without a stack');
}

async function refuses(t: Test, message: RegExp): Promise<void> {
  const blocks = fs.readFileSync(blk());
  await t.rejects(up(), { message: /the daemon ended/ });
  await refusal(t, message);
  t.ok(blocks.equals(fs.readFileSync(blk())), 'the blocks are as they were');
}

/** Everything is there, and read. */
async function isWhole(t: Test): Promise<void> {
  t.equal(await node.call('getbestblockhash'), tip.hashHex);
  t.equal(await node.call('verifychain', 4, 0), true);
  t.same(await coinFigures(node), figures);
  t.equal((await node.call('getaddressinfo', address)).ismine, true);
  await t.resolves(node.call('getrawtransaction', Buffer.from(branch(tip)[50]!.txids[0]!).reverse().toString('hex')));
  t.same(await node.stop(), { code: 0, signal: null });
}

async function loaded(): Promise<void> {
  const synced = async (): Promise<boolean> =>
    Object.values(await node.call('getindexinfo')).every((index) => (index as { synced: boolean }).synced);
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await new Promise((resolve) => setTimeout(resolve, 30)))
    if ((await node.call('getblockcount')) === tip.height && (await synced())) return;
  throw new Error('it does not come to the tip');
}

t.test('starts from an undamaged folder', async (t) => {
  await up();
  await isWhole(t);
});

t.test('rebuilds what a damaged write-ahead log lost', async (t) => {
  const files = only('chainstate', /\.log$/).filter((file) => fs.statSync(file).size > 0);
  t.ok(files.length > 0);
  flip(files[0]!, 40);
  await up();
  t.match(log(), /chainstate\S+\.log is damaged at byte 0; what was written after that is lost\. The database will be rebuilt/);
  t.match(log(), /Added 1 blocks of the block files, which followed the last block in the database/);
  await loaded();
  await isWhole(t);
});

t.test('reports damaged tables of the database', async (t) => {
  const files = only('chainstate', /\.sst$/);
  t.ok(files.length > 0);
  for (const file of files) flip(file, ...Array.from({ length: 40 }, (_, i) => (i + 0.5) / 60));
  const started = await up().then(
    () => true,
    () => false,
  );
  // The damage may show only when a table is read.
  if (started) await coinFigures(node).catch(() => {});
  await refusal(t, /[Cc]orruption: .*\.sst.* Start with -reindex to rebuild everything/);
  t.ok(fs.readFileSync(blk()).equals(fs.readFileSync(path.join(sound, 'regtest', 'blocks', 'blk00000.dat'))));
  fs.truncateSync(path.join(node.dir, 'stdout.log'));
  await up('-reindex');
  await loaded();
  await isWhole(t);
});

for (const name of cases(1, ['MANIFEST', 'CURRENT'])) {
  t.test(`${name} of the database`, async (t) => {
    const [file] = only('chainstate', new RegExp(`^${name}`));
    flip(file!, 0.5);
    await refuses(t, /chainstate.* Start with -reindex to rebuild everything from the readable blocks\.\n$/);
    fs.truncateSync(path.join(node.dir, 'stdout.log'));
    await up('-reindex');
    t.match(log(), /The database cannot be opened and will be removed: /);
    await loaded();
    await isWhole(t);
  });
}

nightlyTest('OPTIONS, IDENTITY and LOCK of the database do not matter', async (t) => {
  for (const file of only('chainstate', /^(OPTIONS|IDENTITY)/)) flip(file, 0.3, 0.6);
  fs.writeFileSync(inFolder('chainstate', 'LOCK'), 'x');
  await up();
  await isWhole(t);
});

t.test('refuses to start with a damaged ENGINE file', async (t) => {
  flip(inFolder('chainstate', 'ENGINE'), 2);
  await refuses(t, /ENGINE is unreadable\. Start with -reindex/);
});

t.test('reports a damaged block near the tip', async (t) => {
  flip(blk(), fs.statSync(blk()).size - 20);
  await refuses(t, /Corrupted block database detected\. Please restart with -reindex/);
});

nightlyTest('answers for a damaged block far below the tip', async (t) => {
  const block = branch(tip)[60]!;
  const bytes = fs.readFileSync(blk());
  const plain = Buffer.from(bytes.map((byte, i) => byte ^ XOR_KEY[i % 8]!));
  // In its header, so that the bytes are no longer those of the block that is asked for.
  flip(blk(), plain.indexOf(block.bytes.subarray(0, 80)) + 70);
  await up();
  await t.rejects(node.call('getblock', block.hashHex), { code: -1, message: 'Block not found on disk' });
  t.equal(await node.call('getbestblockhash'), tip.hashHex, 'one block that nobody needs now stops nothing');
  t.same(await node.stop(), { code: 0, signal: null });
  await up('-reindex');
  while (!log().includes('Done loading: height 60,')) await new Promise((resolve) => setTimeout(resolve, 50));
  t.equal(await node.call('getblockcount'), 60, '-reindex keeps what lies below it');
  for (const next of branch(tip).slice(60)) await node.call('submitblock', next.bytes.toString('hex'));
  await loaded();
  await isWhole(t);
});

t.test('reports damaged undo data', async (t) => {
  const rev = inFolder('blocks', 'rev00000.dat');
  flip(rev, fs.statSync(rev).size - 40);
  await refuses(t, /Corrupted block database detected\. Please restart with -reindex/);
  fs.truncateSync(path.join(node.dir, 'stdout.log'));
  await up('-reindex');
  await loaded();
  await isWhole(t);
});

t.test('reports a missing obfuscation key of the block files', async (t) => {
  const key = inFolder('blocks', 'xor.dat');
  flip(key, 3);
  await refuses(
    t,
    /holds no blocks of this network: wrong data directory, or the xor\.dat beside it is missing or changed\. Restore the xor\.dat/,
  );
  fs.writeFileSync(key, XOR_KEY.subarray(0, 7));
  fs.truncateSync(path.join(node.dir, 'stdout.log'));
  await refuses(t, /xor\.dat must have 8 bytes, not 7\. Restore the xor\.dat/);
  fs.rmSync(key);
  fs.truncateSync(path.join(node.dir, 'stdout.log'));
  await refuses(t, /xor\.dat beside it is missing or changed/);
  fs.writeFileSync(key, XOR_KEY);
  fs.truncateSync(path.join(node.dir, 'stdout.log'));
  await up();
  await isWhole(t);
});

nightlyTest('the note of a rebuilding', async (t) => {
  fs.writeFileSync(inFolder('REBUILD'), 'al\0 scan\n');
  await refuses(t, /REBUILD is unreadable\. Start with -reindex to restart the rebuild\.\n$/);
  fs.truncateSync(path.join(node.dir, 'stdout.log'));
  await up('-reindex');
  await loaded();
  await isWhole(t);
});

t.test('starts without damaged mempool and fee files, and logs it', async (t) => {
  for (const name of ['mempool.dat', 'fee_estimates.dat']) flip(inFolder(name), 0.3, 0.5);
  await up();
  await loaded();
  t.match(log(), /Fee estimation starts without saved estimates: \S+fee_estimates\.dat could not be read/);
  while (!(await node.call('getmempoolinfo')).loaded) await new Promise((resolve) => setTimeout(resolve, 20));
  t.match(
    log(),
    /The saved mempool (could not be loaded|was loaded only in part)|Imported mempool transactions from disk: 0 succeeded, 1 failed/,
  );
  await isWhole(t);
});

t.test('reports a damaged settings.json', async (t) => {
  fs.writeFileSync(inFolder('settings.json'), '{"wallet": ["pu');
  await t.rejects(up(), { message: /the daemon ended/ });
  t.match(
    node.output(),
    /^Error: Failed loading settings file:\n- Unable to parse settings file \S+settings\.json: it does not contain valid JSON\. /,
  );
});

t.test('reports a damaged wallet database', async (t) => {
  const dir = path.join('wallets', 'purse');
  const folder = fs.existsSync(inFolder(dir, 'CURRENT'))
    ? dir
    : path.join(dir, fs.readdirSync(inFolder(dir)).find((name) => fs.existsSync(inFolder(dir, name, 'CURRENT')))!);
  for (const [kind, place] of cases(1, [
    [/\.(sst|log)$/, 0.3],
    [/^MANIFEST/, 0.5],
    [/^CURRENT/, 0.5],
  ] as const)) {
    fs.rmSync(inFolder('wallets'), { recursive: true });
    fs.cpSync(path.join(sound, 'regtest', 'wallets'), inFolder('wallets'), { recursive: true });
    for (const file of only(folder, kind).filter((one) => fs.statSync(one).size > 0)) flip(file, place);
    fs.truncateSync(path.join(node.dir, 'stdout.log'));
    await refuses(t, /purse.* Move \S+purse away and restore the wallet from a backup: adit-cli restorewallet "purse" BACKUP/);
    // The node itself is as sound as before.
    fs.truncateSync(path.join(node.dir, 'stdout.log'));
    await node.up('-nowallet');
    t.equal(await node.call('getbestblockhash'), tip.hashHex);
    await t.rejects(node.call('loadwallet', 'purse'), { code: -4 });
    t.equal(await node.call('getblockcount'), tip.height);
    t.same(await node.stop(), { code: 0, signal: null });
  }
});
