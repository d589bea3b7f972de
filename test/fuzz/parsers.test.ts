// A short run of every parser of the long fuzz suite, with the same random inputs each time. FUZZ_CASES and FUZZ_SEED
// change the number and the start.
import t from 'tap';
import { rounds } from '../framework/depth.js';
import { Dice, mixSeed } from './long/dice.js';
import { spendOutcomes } from './long/law-targets.js';
import { stratumTargets } from './long/stratum-targets.js';
import { sv2Targets } from './long/sv2-targets.js';
import { parserTargets } from './long/targets.js';

const CASES = Number(process.env.FUZZ_CASES ?? rounds(8_000, 20_000));
const SEED = Number(process.env.FUZZ_SEED ?? 46);
/** Parts of all cases for parsers that get more than their share: those of consensus, storage, and clients. */
const DOSES = new Map([
  ['transaction', 0.75],
  ['block', 0.75],
  ['script', 0.75],
  ['spend', 1],
  ['coin', 1.5],
  ['undo', 1],
  ['index-row', 1],
  ['descriptor', 0.1],
  ...[...sv2Targets, ...stratumTargets].map(({ name }): [string, number] => [name, 0.5]),
]);
/** Conversations are built so that most of them are understood. */
const talks = new Set([...sv2Targets, ...stratumTargets]);

const shares = parserTargets.reduce((sum, { share }) => sum + share, 0);
for (const [place, target] of parserTargets.entries()) {
  const { name, share } = target;
  const count = Math.max(1, Math.round(CASES * (DOSES.get(name) ?? share / shares)));
  t.test(`${name}: ${count} random inputs`, async (t) => {
    const { stackTraceLimit } = Error;
    // Half the time would go into the stacks of refused inputs.
    Error.stackTraceLimit = 0;
    const faults: string[] = [];
    let good = 0;
    for (let i = 0; i < count && faults.length < 3; i++) {
      const input = target.make(new Dice(mixSeed(SEED, 0, place, i)));
      try {
        if (target.check(input)) good++;
      } catch (error) {
        faults.push(`${String(error)} for ${Buffer.from(input).toString('hex')}`);
      }
    }
    Error.stackTraceLimit = stackTraceLimit;
    t.same(faults, []);
    t.ok(good > count / (talks.has(target) ? 10 : 200) || count < 50, `${good} get past the outermost checks`);
    if (name === 'spend') t.ok(spendOutcomes.size > 30, `${spendOutcomes.size} different outcomes`);
  });
}
