// Runs two phases of the long kill suite (npm run kill; nightly: all phases) with one kill each and the comparison
// after it, so that the suite itself is tested. ADIT_KILLS sets the number of kills of a phase, ADIT_SEED the random
// seed.
import t from 'tap';
import { type BuiltBlock, buildBlock, GENESIS } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { cases, rounds } from '../framework/depth.js';
import { connecting, flushing, reorganising } from './phases/feeding.js';
import { indexing } from './phases/indexing.js';
import { pruning } from './phases/pruning.js';
import { rebuilding } from './phases/rebuilding.js';
import { mining, solving } from './phases/solving.js';
import { wallets } from './phases/wallets.js';

const kills = Number(process.env.ADIT_KILLS ?? rounds(1, 10));
const seed = Number(process.env.ADIT_SEED ?? 1);
for (const phase of cases(2, [reorganising, flushing, wallets, connecting, rebuilding, indexing, pruning, solving, mining])) {
  t.test(phase.name, async (t) => {
    const report = await phase.round({ kills, seed, enough: () => false });
    t.same(report.faults, []);
    t.equal(
      Object.values(report.kills).reduce((a, b) => a + b, 0),
      kills,
    );
    t.ok(report.checks > 0 && report.blocks > 100);
    t.comment(JSON.stringify(report));
  });
}

t.test('keeps the first of two equal blocks as the tip over a kill', async (t) => {
  const node = await Daemon.startFor(t);
  let tip: BuiltBlock = buildBlock(GENESIS, { time: Math.floor(Date.now() / 1000) - 1000 });
  t.equal(await node.call('submitblock', tip.bytes.toString('hex')), null);
  for (let round = 0; round < 2; round++) {
    const pair = [1, 2].map((tag) => buildBlock(tip, { tag, time: tip.time + 1 }));
    // The second block has the smaller hash. It would win if only the hashes decided.
    const [second, first] = pair.sort((a, b) => Buffer.compare(a.hash, b.hash)) as [BuiltBlock, BuiltBlock];
    t.equal(await node.call('submitblock', first.bytes.toString('hex')), null);
    t.equal(await node.call('submitblock', second.bytes.toString('hex')), 'inconclusive');
    await node.kill();
    await node.up();
    t.equal(await node.call('getbestblockhash'), first.hashHex, 'the tip stays on the block that was announced as the tip');
    t.equal((await node.call('getblockheader', second.hashHex)).confirmations, -1, 'the other is known');
    tip = first;
  }
});
