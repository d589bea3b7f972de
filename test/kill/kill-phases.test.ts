// Runs three phases of the long kill suite (npm run kill; nightly: all phases) with one kill each and the comparison
// after it, so that the suite itself is tested. ADIT_KILLS sets the number of kills of a phase, ADIT_SEED the random
// seed.
import t from 'tap';
import { cases, rounds } from '../framework/depth.js';
import { connecting, flushing, reorganising } from './phases/feeding.js';
import { indexing } from './phases/indexing.js';
import { pruning } from './phases/pruning.js';
import { rebuilding } from './phases/rebuilding.js';
import { mining, solving } from './phases/solving.js';
import { wallets } from './phases/wallets.js';

const kills = Number(process.env.ADIT_KILLS ?? rounds(1, 5));
const seed = Number(process.env.ADIT_SEED ?? 1);
for (const phase of cases(3, [connecting, flushing, wallets, reorganising, rebuilding, indexing, pruning, solving, mining])) {
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
