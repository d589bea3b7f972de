// Checks each earlier find of the long fuzz suite (test/fuzz/finds) against its target, and runs every parser briefly
// with the same random inputs, so that the suite itself keeps working. FUZZ_CASES raises the number.
import t from 'tap';
import { METHODS } from '../../src/rpc/declare/methods.js';
import { Dice, mixSeed } from './long/dice.js';
import { savedFinds } from './long/finds.js';
import { LiveNode } from './long/live-node.js';
import { httpTarget, peerTarget, rpcTarget } from './long/live-targets.js';
import { askedMethods } from './long/request-maker.js';
import { parserTargets } from './long/targets.js';

const CASES = Number(process.env.FUZZ_CASES ?? 20_000);
const SEED = 46;

t.test('handles all inputs that once failed', async (t) => {
  for (const { name, file, input } of savedFinds()) {
    const target = parserTargets.find((one) => one.name === name);
    if (target) t.doesNotThrow(() => target.check(input), file);
  }
});

t.test('runs every parser on random input', async (t) => {
  const shares = parserTargets.reduce((sum, { share }) => sum + share, 0);
  for (const [place, { name, share, make, check }] of parserTargets.entries()) {
    const count = Math.max(1, Math.round((CASES * share) / shares));
    const faults: string[] = [];
    let good = 0;
    for (let i = 0; i < count; i++) {
      const input = make(new Dice(mixSeed(SEED, 0, place, i)));
      try {
        if (check(input)) good++;
      } catch (error) {
        faults.push(`${String(error)} for ${Buffer.from(input).toString('hex')}`);
      }
    }
    t.same(faults.slice(0, 3), [], `${name}: ${count} cases`);
    t.ok(good > count / 200 || count < 50, `${name}: ${good} get past the outermost checks`);
  }
});

t.test('survives random input on a live node', async (t) => {
  const live = await LiveNode.start();
  t.teardown(() => live.close());
  const targets = [rpcTarget(live), peerTarget(live), httpTarget(live)];
  for (const target of targets) {
    const kept = savedFinds().filter(({ name }) => name === target.name);
    for (const { file, input } of kept) await t.resolves(target.checkAll([input]), file);
    const inputs = Array.from({ length: target.name === 'rpc' ? 1500 : 200 }, (_, i) => target.make(new Dice(mixSeed(SEED, 1, 0, i))));
    t.ok((await target.checkAll(inputs)) > inputs.length / 20, `${inputs.length} cases of ${target.name}`);
  }
  t.same(
    [...METHODS.keys()].filter((name) => !askedMethods.includes(name) && name !== 'addnode' && name !== 'stop'),
    [],
    'every other call is asked',
  );
});
