// The long kill suite: SIGKILLs at random moments while a daemon connects blocks, reorganises, flushes, reindexes,
// builds indexes, prunes and works on wallets. After each kill the next start must have a consistent tip and every
// acknowledged block; each round ends with the coins and index answers of a daemon that was never killed.
//
//   npm run kill -- [--kills=1000] [--seed=1] [--minutes=60] [--phase=NAME] [--jobs=2]
//
// Kills are shared out evenly over the phases, in rounds of at most fifty. When the minutes are over, the rounds under
// way end with their comparison and the rest is left out. Exit status 1 when anything was wrong; the data folder of
// that round is kept and named.
import { parseArgs } from 'node:util';
import { connecting, flushing, reorganising } from './phases/feeding.js';
import { indexing } from './phases/indexing.js';
import { count, type Phase, type RoundReport } from './phases/phase.js';
import { pruning } from './phases/pruning.js';
import { rebuilding } from './phases/rebuilding.js';
import { mining, solving } from './phases/solving.js';
import { wallets } from './phases/wallets.js';

const PHASES: readonly Phase[] = [connecting, reorganising, flushing, rebuilding, indexing, pruning, solving, mining, wallets];
const ROUND_KILLS = 50;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    phase: { type: 'string' },
    jobs: { type: 'string', default: '2' },
  },
});
const [kills, seed, minutes, jobs] = [values.kills, values.seed, values.minutes, values.jobs].map(Number) as [
  number,
  number,
  number,
  number,
];
const phases = PHASES.filter(({ name }) => values.phase === undefined || name === values.phase);
if (phases.length === 0 || ![kills, seed, minutes, jobs].every((n) => Number.isFinite(n) && n > 0)) {
  process.stderr.write(
    `--kills, --seed, --minutes and --jobs are positive numbers; phases: ${PHASES.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}

interface Round {
  readonly phase: Phase;
  readonly kills: number;
  readonly seed: number;
}

/** Rounds of all phases in turn, so that a run that ends early has been everywhere. */
function plannedRounds(): Round[] {
  const rounds: Round[] = [];
  phases.forEach((phase, p) => {
    let left = Math.floor(kills / phases.length) + (p < kills % phases.length ? 1 : 0);
    for (let r = 0; left > 0; r++, left -= ROUND_KILLS)
      rounds.push({ phase, kills: Math.min(ROUND_KILLS, left), seed: seed * 100_000 + p * 1_000 + r });
  });
  return rounds.sort((a, b) => (a.seed % 1_000) - (b.seed % 1_000));
}

const began = Date.now();
const enough = (): boolean => Date.now() - began > minutes * 60_000;
const text = (record: Record<string, number>): string =>
  Object.entries(record)
    .map(([name, n]) => `${n} ${name}`)
    .join(', ');
const sum = (record: Record<string, number>): number => Object.values(record).reduce((a, b) => a + b, 0);

const totals = new Map<string, RoundReport>(phases.map(({ name }) => [name, { kills: {}, checks: 0, blocks: 0, figures: {}, faults: [] }]));
let done = 0;
const queue = plannedRounds();

async function lane(): Promise<void> {
  for (let round = queue.shift(); round !== undefined && !enough(); round = queue.shift()) {
    const { phase, seed: roundSeed } = round;
    const report = await phase
      .round({ kills: round.kills, seed: roundSeed, enough })
      .catch(
        (error: Error): RoundReport => ({ kills: {}, checks: 0, blocks: 0, figures: {}, faults: [`seed ${roundSeed}: ${error.stack}`] }),
      );
    const total = totals.get(phase.name)!;
    for (const [name, n] of Object.entries(report.kills)) count(total.kills, name, n);
    for (const [name, n] of Object.entries(report.figures)) count(total.figures, name, n);
    total.checks += report.checks;
    total.blocks += report.blocks;
    total.faults.push(...report.faults);
    done += sum(report.kills);
    const state = report.faults.length === 0 ? 'ok' : 'FAILED';
    console.log(
      `${((Date.now() - began) / 60_000).toFixed(1)} min, ${done} kills: ${phase.name} ${state} (${text(report.kills)}; ${report.blocks} blocks; ${text(report.figures)})`,
    );
    for (const fault of report.faults) console.log(`  ${fault}`);
  }
}

await Promise.all(Array.from({ length: jobs }, lane));
console.log('');
for (const [name, { kills: by, checks, blocks, figures, faults }] of totals)
  console.log(`${name}: ${sum(by)} kills (${text(by)}), ${checks} checks, ${blocks} blocks, ${text(figures)}, ${faults.length} faults`);
const faults = [...totals.values()].flatMap((total) => total.faults);
console.log(
  `${done} of ${kills} kills in ${((Date.now() - began) / 60_000).toFixed(1)} minutes, seed ${seed}: ${faults.length === 0 ? 'nothing was lost' : 'FAILED'}`,
);
process.exit(faults.length === 0 ? 0 : 1);
