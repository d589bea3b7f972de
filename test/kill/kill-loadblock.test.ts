// Kills a daemon by SIGKILL while -loadblock reads a file whose coins do not fit in the cache. Kills interrupt flushes,
// also those that are written in parts under a marker. Every restart continues with the file, and the result is that of
// a daemon that was never killed.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { ANYONE, type BuiltBlock, buildBlock, GENESIS, spend } from '../framework/chain-builder.js';
import { coinFigures } from '../framework/coin-figures.js';
import { Daemon } from '../framework/daemon.js';
import { cases, nightlyTest, rounds } from '../framework/depth.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { PATIENCE_MS } from '../framework/until.js';

const kills = Number(process.env.ADIT_KILLS ?? rounds(3, 12));
const seed = Number(process.env.ADIT_SEED ?? 1);
const BLOCKS = 2_000;
const RIPE = 100;
/** Number of outputs of the large blocks, and the heights of these blocks. */
const OUTPUTS = 20_000;
const fat = (height: number): boolean => height >= 400 && height < 1_900 && height % 100 === 0;
/** Number of coins of a large block that a later block spends. */
const SPENT = 2_800;
const fatHeights = Array.from({ length: BLOCKS }, (_, i) => i + 1).filter(fat);
/** About the time that a flush in parts takes. */
const FLUSH_MS = 400;
const START_TIME = 1_400_000_000;

const MAGIC = Buffer.from('fabfb5da', 'hex');

/** Writes the chain in the layout of Core's blk files. @returns its last block, and the number of coins it leaves */
function writeChain(file: string): { tip: BuiltBlock; txouts: number } {
  const out = fs.openSync(file, 'w');
  const blocks: BuiltBlock[] = [];
  const outs = Array.from({ length: OUTPUTS }, () => ({ value: 0, script: ANYONE }));
  let tip = GENESIS;
  let txouts = 0;
  while (tip.height < BLOCKS) {
    const height = tip.height + 1;
    const source = blocks[height - RIPE - 2];
    const coins =
      source !== undefined && fat(source.height)
        ? Array.from({ length: SPENT }, (_, i) => ({ txid: source.txids[0]!, index: 1 + 7 * i, value: 0 }))
        : [];
    const txs = coins.length > 0 ? [spend(coins, [{ value: 0, script: ANYONE }])] : [];
    tip = buildBlock(tip, { txs, tag: height, outs: fat(height) ? outs : [], time: START_TIME + height });
    txouts += 1 + (fat(height) ? OUTPUTS : 0) + txs.length - coins.length;
    blocks.push(tip);
    const head = Buffer.alloc(8);
    MAGIC.copy(head);
    head.writeUInt32LE(tip.bytes.length, 4);
    fs.writeSync(out, Buffer.concat([head, tip.bytes]));
  }
  fs.closeSync(out);
  return { tip, txouts };
}

const log = (node: Daemon): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');

/** Waits until the import is over. @throws when the daemon ends */
async function loaded(node: Daemon): Promise<void> {
  const before = log(node).split('Done loading').length;
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(20)) {
    if (node.exit) throw new Error(`the daemon ended: ${node.output()}`);
    if (log(node).split('Done loading').length > before) return;
  }
  throw new Error(`still loading: ${log(node).slice(-500)}`);
}

/** Waits until the import has reached a height. */
async function reached(node: Daemon, height: number): Promise<void> {
  while (!node.exit) {
    const now = await node.call('getblockcount').catch(() => -1);
    if (now >= height) return;
    await sleep(2);
  }
  throw new Error(`the daemon ended: ${node.output()}`);
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-kill-'));
t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
const file = path.join(dir, 'chain.dat');
const { tip, txouts } = writeChain(file);
/** Results of the first run. */
let expected: Record<string, unknown> | undefined;

async function finished(t: Test, node: Daemon): Promise<void> {
  t.equal(await node.call('getbestblockhash'), tip.hashHex);
  const figures = await coinFigures(node);
  t.equal(figures.txouts, txouts, 'as many coins as the model has');
  expected ??= figures;
  t.same(figures, expected, 'the coins of every other run');
  t.same(await node.stop(), { code: 0, signal: null });
}

nightlyTest('without kills', async (t) => {
  const node = await Daemon.startFor(t);
  await node.stop();
  const started = node.up(`-loadblock=${file}`);
  await loaded(node);
  await started;
  await finished(t, node);
});

// With 4 MiB of cache nearly every large block is flushed, each in one batch. With 20 MiB so many coins are collected
// that the first flush, about twelve large blocks later, is written in parts.
for (const [cache, share, from] of cases(1, [
  [20, Math.ceil(kills / 3), 1_400],
  [4, Math.floor(kills / 3), 0],
] as const)) {
  t.test(`killed with -dbcache=${cache}`, async (t) => {
    const random = pseudoRandom(seed + cache);
    const node = await Daemon.startFor(t, `-dbcache=${cache}`);
    await node.stop();
    const left: number[] = [];
    for (let kill = 1; kill <= share; kill++) {
      const started = node.up(`-loadblock=${file}`).catch(() => {});
      // One of the fat blocks, later ones later: flushes come right behind them.
      const heights = fatHeights.filter((height) => height >= from);
      await reached(node, heights[Math.floor(((kill - 1 + random()) / share) * heights.length)]!);
      await sleep(random() * FLUSH_MS);
      await node.kill();
      await started;
      // The stored blocks must be complete without the file.
      await node.up();
      const info = await node.call('getblockchaininfo');
      left.push(info.blocks);
      t.equal(await node.call('verifychain', 4, 20), true);
      const figures = await coinFigures(node);
      t.equal(figures.bestblock, info.bestblockhash);
      await node.kill();
    }
    const started = node.up(`-loadblock=${file}`);
    await loaded(node);
    await started;
    t.comment(`heights left by kills: ${left}; ${log(node).split('Replaying').length - 1} flushes replayed`);
    await finished(t, node);
    t.equal(node.output(), '');
  });
}

nightlyTest('asked to stop while it reads', async (t) => {
  const node = await Daemon.startFor(t);
  await node.stop();
  const started = node.up(`-loadblock=${file}`);
  await reached(node, 700);
  await started;
  node.child?.kill('SIGTERM');
  t.same(await node.ended(), { code: 0, signal: null });
  await node.up();
  const height = await node.call('getblockcount');
  t.ok(height >= 700 && height < BLOCKS, `it stopped at ${height}, in the middle, and kept what it had`);
  t.equal(await node.call('verifychain', 4, 20), true);
  await node.stop();
  const again = node.up(`-loadblock=${file}`);
  await loaded(node);
  await again;
  await finished(t, node);
});
