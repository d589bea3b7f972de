// Measures the derivation of scripts of ranged descriptors. The limit is the part that every implementation needs: one
// point addition per key.
//
//   node build/bench/derive.js [--json]

import { parseDescriptor } from '../src/address/descriptor/parse.js';
import { descriptorContext, keyMath } from '../test/framework/descriptor-context.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { timeInTurn } from './harness/samples.js';

const ROUNDS = { warmup: 3, rounds: 20 };
const COUNT = 500;
const XPUB = 'xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV';
/** Descriptors with the number of keys in each. */
const DESCRIPTORS: readonly [string, number][] = [
  [`wpkh(${XPUB}/0/*)`, 1],
  [`sh(wpkh(${XPUB}/0/*))`, 1],
  [`wsh(sortedmulti(2,${XPUB}/0/*,${XPUB}/1/*,${XPUB}/2/*))`, 3],
  [`tr(${XPUB}/0/*)`, 2],
];

await runBench({
  name: 'address/descriptor',
  protects: 'filling key pools and importing ranges: a wallet of a hundred thousand addresses waits for this',
  run: async () => {
    const context = descriptorContext();
    const point = keyMath.publicKey(new Uint8Array(32).fill(3), true) as Uint8Array;
    const tweaks = Array.from({ length: COUNT }, (_, i) => context.hashes.sha256(Uint8Array.of(i, i >> 8)));
    const cases: BenchCase[] = [];
    for (const [text, keys] of DESCRIPTORS) {
      const parsed = parseDescriptor(text, context);
      if ('error' in parsed) throw new Error(parsed.error);
      const [descriptor] = parsed.descriptors;
      const { scripts, bare } = await timeInTurn(
        {
          scripts: () => {
            for (let index = 0; index < COUNT; index++) descriptor.scripts(index);
          },
          bare: () => {
            for (let i = 0; i < COUNT * keys; i++) keyMath.addToPublic(point, tweaks[i % COUNT]);
          },
        },
        ROUNDS,
      );
      const each = (samples: readonly number[]) => samples.map((ms) => (ms * 1_000) / COUNT);
      cases.push({
        name: text.replaceAll(XPUB, 'xpub'),
        unit: 'us a script',
        better: 'lower',
        samples: each(scripts),
        limit: { name: `${keys} point additions`, samples: each(bare) },
        goal: { text: '<= 1.35 x limit', reached: (_p50, ratio) => ratio !== null && ratio <= 1.35 },
      });
    }
    return { cases };
  },
});
