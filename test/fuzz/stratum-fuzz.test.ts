// A short run of the long suite's Stratum V1 target: conversations of miners. FUZZ_CASES scales it.
import t from 'tap';
import { Dice, mixSeed } from './long/dice.js';
import { stratumTargets } from './long/stratum-targets.js';

const CASES = Math.ceil(Number(process.env.FUZZ_CASES ?? 100_000) / 10);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_129);

stratumTargets.forEach((target, index) => {
  t.test(target.name, async (t) => {
    let good = 0;
    for (let i = 0; i < CASES; i++) {
      const input = target.make(new Dice(mixSeed(SEED, index, i)));
      try {
        if (target.check(input)) good++;
      } catch (error) {
        t.fail(`case ${i}, ${Buffer.from(input).toString('hex')}: ${(error as Error).stack}`);
        return;
      }
    }
    t.ok(good > CASES / 10, `${good} of ${CASES} got past the outermost checks`);
  });
});
