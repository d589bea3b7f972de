// A short run of the long suite's Stratum V2 targets: payloads of messages, and conversations with a connection.
// FUZZ_CASES scales it.
import t from 'tap';
import { Dice, mixSeed } from './long/dice.js';
import { sv2Targets } from './long/sv2-targets.js';

const CASES = Math.ceil(Number(process.env.FUZZ_CASES ?? 100_000) / 10);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_122);

sv2Targets.forEach((target, index) => {
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
