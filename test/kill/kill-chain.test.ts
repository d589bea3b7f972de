// Kills a daemon by SIGKILL at random moments: while blocks, transactions and reorganisations arrive, while it starts,
// and while it stops. After each restart everything that was acknowledged must be there, and at the end the coins must
// be those of a daemon that was never killed. ADIT_KILLS sets the number of kills, ADIT_SEED the random seed.
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { BlockTree, expectedCoins } from '../framework/block-tree.js';
import { type BuiltBlock, buildBlock, GENESIS } from '../framework/chain-builder.js';
import { coinFigures } from '../framework/coin-figures.js';
import { Daemon } from '../framework/daemon.js';
import { rounds } from '../framework/depth.js';
import { KillMiner } from '../framework/kill-miner.js';
import { pseudoRandom } from '../framework/pseudo-random.js';

const kills = Number(process.env.ADIT_KILLS ?? rounds(2, 20));
const seed = Number(process.env.ADIT_SEED ?? 1);
/** Enough blocks that some coinbases are mature. */
const RUN_UP = 130;
const FEED_MS = 250;
const START_MS = 700;
const STOP_MS = 60;
/** Kills a daemon while it starts, and then starts it completely. */
async function killWhileStarting(node: Daemon, delayMs: number): Promise<void> {
  const started = node.up().catch(() => {});
  await sleep(delayMs);
  await node.kill();
  await started;
}

async function run(t: Test, options: { startTime: number; exactTip: boolean; kills: number; seed: number }): Promise<void> {
  const random = pseudoRandom(options.seed);
  const node = await Daemon.start('-dbcache=4', '-rpcworkqueue=1000');
  t.teardown(() => node.remove());
  const tree = new BlockTree(pseudoRandom(options.seed + 1_000_000), options.startTime);
  const miner = new KillMiner(node, tree);
  t.ok(await miner.feed(() => miner.acknowledged.length >= RUN_UP), 'run-up');
  const received = { feeding: 0, starting: 0, stopping: 0 };
  for (let kill = 1; kill <= options.kills; kill++) {
    const way = random();
    if (way < 0.15) {
      received.starting++;
      await node.stop();
      await killWhileStarting(node, random() * START_MS);
    } else {
      const delay = random() * FEED_MS;
      let over = false;
      const before = miner.acknowledged.length;
      const feeding = miner.feed(() => over);
      const bothering = miner.bother(() => over);
      // The miner must have submitted some blocks, because otherwise the kill tests nothing.
      while (miner.acknowledged.length === before) await sleep(1);
      await sleep(delay);
      if (way < 0.3) {
        received.stopping++;
        node.child?.kill('SIGTERM');
        await sleep(random() * STOP_MS);
      } else received.feeding++;
      await node.kill();
      over = true;
      await feeding;
      await bothering;
    }
    await node.up();
    const wrong = await miner.check(options.exactTip);
    if (wrong.length > 0) t.fail(`kill ${kill}: ${wrong.length} faults`, { wrong: wrong.slice(0, 10), log: node.output().slice(-2000) });
  }
  let more = 0;
  t.ok(await miner.feed(() => more++ > 10), 'it goes on');
  // One branch must get more work than the other.
  const last = tree.grow(miner.tip, 3);
  t.equal(await node.call('submitblock', last.bytes.toString('hex')), null);
  t.same(miner.strange, [], 'no answer but those of valid blocks');
  t.comment(`${options.kills} kills (${JSON.stringify(received)}), ${miner.acknowledged.length} blocks, ${JSON.stringify(miner.counts)}`);
  t.equal(node.output(), '', 'nothing on stderr');
  const found = await coinFigures(node);
  t.equal(await node.call('verifychain', 4, 0), true);
  const { txouts, sats } = expectedCoins(last);
  t.equal(found.txouts, txouts, 'as many coins as the model has');
  t.equal(Math.round(found.total_amount * 1e8), sats, 'worth as much');
  const tips = async (one: Daemon): Promise<string[]> => (await one.call('getchaintips')).map(({ hash }: { hash: string }) => hash).sort();
  const knownTips = await tips(node);
  t.same(await node.stop(), { code: 0, signal: null }, 'a clean stop');

  const calm = await Daemon.start();
  t.teardown(() => calm.remove());
  const refused: unknown[] = [];
  for (const block of [...new Set(miner.acknowledged), last]) {
    const answer = await calm.call('submitblock', block.bytes.toString('hex'));
    if (answer !== null && answer !== 'inconclusive') refused.push(answer);
  }
  t.same(refused, []);
  t.same(found, await coinFigures(calm), 'the coins of a daemon that was never killed');
  t.same(knownTips, await tips(calm), 'and its branches');
  await calm.stop();
}

t.test('keeps the first of two equal blocks as the tip over a kill', async (t) => {
  const node = await Daemon.start();
  t.teardown(() => node.remove());
  let tip: BuiltBlock = buildBlock(GENESIS, { time: Math.floor(Date.now() / 1000) - 1000 });
  t.equal(await node.call('submitblock', tip.bytes.toString('hex')), null);
  for (let round = 0; round < 4; round++) {
    const pair = [1, 2].map((tag) => buildBlock(tip, { tag, time: tip.time + 1 }));
    // The second block has the smaller hash. It would win if only the hashes decided.
    const [second, first] = pair.sort((a, b) => Buffer.compare(a.hash, b.hash)) as [BuiltBlock, BuiltBlock];
    t.equal(await node.call('submitblock', first.bytes.toString('hex')), null);
    t.equal(await node.call('submitblock', second.bytes.toString('hex')), 'inconclusive');
    await node.kill();
    await node.up();
    t.equal(await node.call('getbestblockhash'), first.hashHex, 'whoever was told that it is the tip still stands on it');
    t.equal((await node.call('getblockheader', second.hashHex)).confirmations, -1, 'the other is known');
    tip = first;
  }
});

t.test('recovers from kills near the tip', (t) =>
  run(t, { startTime: Math.floor(Date.now() / 1000) - 80_000, exactTip: true, kills: Math.ceil(kills / 2), seed }),
);
// The blocks are old, so coins are collected in memory and written late. So every restart has to connect blocks again.
t.test('recovers from kills during the initial download', (t) =>
  run(t, { startTime: 1_400_000_000, exactTip: false, kills: Math.floor(kills / 2), seed: seed + 500_000 }),
);
