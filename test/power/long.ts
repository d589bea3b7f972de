// The long power suite: a thousand cuts of the power while daemons work. A layer below each daemon writes down what it
// does to its files (shim.c), a model of the disk makes from that what a cut at some moment may leave (disk.ts), and a
// daemon started over it, without -reindex, must come up and have all that was acknowledged.
//
//   npm run power -- [--cuts=1000] [--seed=1] [--minutes=60] [--phase=NAME] [--jobs=2]
//
// Cuts are shared out evenly over the phases, in stories of at most forty. When the minutes are over, the stories under
// way end and the rest is left out. Exit status 1 when anything was wrong; the image of that cut is kept and named.
import { parseArgs } from 'node:util';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { cutAndJudge } from './cuts.js';
import { PHASES } from './phases/all.js';
import { buildShim, unbuildable } from './recording.js';

const STORY_CUTS = 40;

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    phase: { type: 'string' },
    jobs: { type: 'string', default: '2' },
  },
});
const [cuts, seed, minutes, jobs] = [values.cuts, values.seed, values.minutes, values.jobs].map(Number) as [number, number, number, number];
const phases = PHASES.filter(({ name }) => values.phase === undefined || name === values.phase);
if (phases.length === 0 || ![cuts, seed, minutes, jobs].every((n) => Number.isFinite(n) && n > 0)) {
  process.stderr.write(`--cuts, --seed, --minutes and --jobs are positive numbers; phases: ${PHASES.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}
const reason = unbuildable();
if (reason !== undefined) {
  console.log(`skipped: ${reason}`);
  process.exit(0);
}

const began = Date.now();
const shim = buildShim();
const faults: string[] = [];
const totals = new Map<string, Record<string, number>>();
let done = 0;
const share = Math.ceil(cuts / phases.length);
for (let round = 0; round * STORY_CUTS < share; round++) {
  for (const [p, phase] of phases.entries()) {
    if (Date.now() - began > minutes * 60_000) break;
    const storySeed = seed * 100_000 + p * 1_000 + round;
    const count = Math.min(STORY_CUTS, share - round * STORY_CUTS);
    const report = await phase
      .tell(storySeed, shim)
      .then(({ recording, judge }) => cutAndJudge(recording, { count, random: pseudoRandom(storySeed + 1), jobs }, judge))
      .catch((error: Error) => ({ cuts: {} as Record<string, number>, faults: [String(error.stack)] }));
    const total = totals.get(phase.name) ?? {};
    totals.set(phase.name, total);
    for (const [what, n] of Object.entries(report.cuts)) total[what] = (total[what] ?? 0) + n;
    done += Object.values(report.cuts).reduce((a, b) => a + b, 0);
    faults.push(...report.faults);
    console.log(
      `${((Date.now() - began) / 60_000).toFixed(1)} min, ${done} cuts: ${phase.name}, seed ${storySeed} ${report.faults.length === 0 ? 'ok' : 'FAILED'}`,
    );
    for (const fault of report.faults) console.log(`  ${fault}`);
  }
}
for (const [name, by] of totals)
  console.log(
    `${name}: ${Object.entries(by)
      .map(([what, n]) => `${n} ${what}`)
      .join('; ')}`,
  );
console.log(
  `${done} cuts in ${((Date.now() - began) / 60_000).toFixed(1)} minutes, seed ${seed}: ${faults.length === 0 ? 'nothing was lost' : `${faults.length} FAULTS`}`,
);
process.exit(faults.length === 0 ? 0 : 1);
