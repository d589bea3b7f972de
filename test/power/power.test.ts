// A few cuts of one phase of the long suite (npm run power; nightly: of all), and that the suite notices a disk that
// keeps nothing it was asked to keep. ADIT_CUTS sets how many cuts a phase, ADIT_SEED where the dice begin.
import t from 'tap';
import { cases, rounds } from '../framework/depth.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { cutAndJudge } from './cuts.js';
import { PHASES } from './phases/all.js';
import { buildShim, unbuildable } from './recording.js';

const count = Number(process.env.ADIT_CUTS ?? rounds(4, 20));
const seed = Number(process.env.ADIT_SEED ?? 1);
const reason = unbuildable();

t.test('recovers from power cuts', { skip: reason ?? false }, async (t) => {
  const shim = buildShim();
  for (const phase of cases(1, PHASES)) {
    t.test(phase.name, async (t) => {
      const { recording, judge } = await phase.tell(seed, shim);
      const plan = { count, random: pseudoRandom(seed), jobs: 2 };
      const report = await cutAndJudge(recording, plan, judge);
      t.same(report.faults, []);
      t.equal(
        Object.values(report.cuts).reduce((a, b) => a + b, 0),
        count,
      );
      if (phase !== PHASES[0]) return;
      const changes = recording.changes.filter(({ kind }) => kind !== 'sync ends');
      const lied = await cutAndJudge({ ...recording, changes }, { ...plan, count: 2, moods: ['lost'], forget: true }, judge);
      t.not(lied.faults.length, 0, 'without a sync all is lost');
    });
  }
});
