// Checks each earlier find of the long fuzz suite (test/fuzz/finds) against its target, and sends the same random inputs
// to a live node each time.
import t from 'tap';
import { METHODS } from '../../src/rpc/declare/methods.js';
import { rounds } from '../framework/depth.js';
import { Dice, mixSeed } from './long/dice.js';
import { savedFinds } from './long/finds.js';
import { LiveNode } from './long/live-node.js';
import { httpTarget, peerTarget, rpcTarget } from './long/live-targets.js';
import { askedMethods } from './long/request-maker.js';
import { parserTargets } from './long/targets.js';

const SEED = 46;

t.test('handles all inputs that once failed', async (t) => {
  for (const { name, file, input } of savedFinds()) {
    const target = parserTargets.find((one) => one.name === name);
    if (target) t.doesNotThrow(() => target.check(input), file);
  }
});

t.test('survives random input on a live node', async (t) => {
  const live = await LiveNode.start();
  t.teardown(() => live.close());
  const targets = [rpcTarget(live), peerTarget(live), httpTarget(live)];
  for (const target of targets) {
    const kept = savedFinds().filter(({ name }) => name === target.name);
    for (const { file, input } of kept) await t.resolves(target.checkAll([input]), file);
    const inputs = Array.from({ length: target.name === 'rpc' ? rounds(1_000, 8_000) : 200 }, (_, i) =>
      target.make(new Dice(mixSeed(SEED, 1, 0, i))),
    );
    t.ok((await target.checkAll(inputs)) > inputs.length / 20, `${inputs.length} cases of ${target.name}`);
  }
  t.same(
    [...METHODS.keys()].filter((name) => !askedMethods.includes(name) && name !== 'addnode' && name !== 'stop'),
    [],
    'every other call is asked',
  );
});
