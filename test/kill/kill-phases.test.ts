// A kill of three phases of the long suite (npm run kill; nightly: of all), each with its comparison: the suite itself
// is kept working by this. ADIT_KILLS sets how many kills a phase, ADIT_SEED where the dice begin.
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
