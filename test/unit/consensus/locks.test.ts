// Locktime and relative locks.

import t from 'tap';
import { isFinalTx, sequenceLocks, sequenceLocksMet } from '../../../src/consensus/rules/locks.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { input, makeTx } from '../../framework/law-blocks.js';
import { ModelNode } from '../../framework/law-model.js';

const hashes = createPureHashes();
const A = new Uint8Array(32).fill(0xaa);

t.test('evaluates locktime by height, time and sequence', async (t) => {
  const final = (locktime: number, sequence: number, height: number, time: number) =>
    isFinalTx(makeTx(hashes, { inputs: [input(A, 0, { sequence })], locktime }), height, time);
  t.equal(final(0, 0, 0, 0), true);
  t.equal(final(100, 0, 100, 1e9), false, 'a height must be passed');
  t.equal(final(100, 0, 101, 0), true);
  t.equal(final(499_999_999, 0, 400_000_000, 2e9), false, 'below the threshold it is a height');
  t.equal(final(500_000_000, 0, 500_000_001, 499_999_999), false, 'from the threshold a time');
  t.equal(final(500_000_000, 0, 0, 500_000_001), true);
  t.equal(final(0xffffffff, 0, 0, 0), false);
  t.equal(final(0xffffffff, 0xffffffff, 0, 0), true, 'all sequences final');
  t.equal(final(500_000_000, 0xffffffff, 0, 0), true);
  const mixed = makeTx(hashes, { inputs: [input(A), input(A, 1, { sequence: 0xfffffffe })], locktime: 500 });
  t.equal(isFinalTx(mixed, 1, 1), false, 'one sequence not final');
});

t.test('computes relative locks by height and median time', async (t) => {
  // Blocks 0 to 50, ten minutes apart: the median time of block h is the time of block h - 5.
  let prev = new ModelNode(null, 1_000_000, 1, 4, A);
  for (let i = 1; i <= 50; i++) prev = new ModelNode(prev, 1_000_000 + i * 600, 1, 4, A);
  const locks = (sequences: number[], heights: number[], version = 2) =>
    sequenceLocks(makeTx(hashes, { version, inputs: sequences.map((sequence, i) => input(A, i, { sequence })) }), heights, prev);
  t.same(locks([5], [40]), { minHeight: 44, minTime: -1 });
  t.same(locks([5], [40], 1), { minHeight: -1, minTime: -1 }, 'version 1 has none');
  t.same(locks([5], [40], -1), { minHeight: 44, minTime: -1 }, 'versions are unsigned here');
  t.same(locks([0x80000005], [40]), { minHeight: -1, minTime: -1 }, 'switched off');
  t.same(locks([0x00bf0005 & ~0x400000], [40]), { minHeight: 44, minTime: -1 }, 'other bits mean nothing');
  t.same(locks([5, 2, 0], [10, 45, 51]), { minHeight: 50, minTime: -1 }, 'the strictest counts');
  // A lock by time starts at the median time before the coin's block, that is of block 39, which is the time of block
  // 34.
  t.same(locks([0x400003], [40]), { minHeight: -1, minTime: 1_000_000 + 34 * 600 + 3 * 512 - 1 });
  t.same(locks([0x400000], [0]), { minHeight: -1, minTime: 1_000_000 - 1 }, 'no block before genesis');
  t.same(locks([0x400001], [51]), { minHeight: -1, minTime: 1_000_000 + 45 * 600 + 511 }, 'a coin of the same block');

  t.ok(sequenceLocksMet({ minHeight: 50, minTime: -1 }, prev), 'block 51 is past 50');
  t.notOk(sequenceLocksMet({ minHeight: 51, minTime: -1 }, prev));
  const median = 1_000_000 + 45 * 600;
  t.equal(prev.medianTimePast(), median);
  t.ok(sequenceLocksMet({ minHeight: -1, minTime: median - 1 }, prev));
  t.notOk(sequenceLocksMet({ minHeight: -1, minTime: median }, prev));
  t.ok(sequenceLocksMet({ minHeight: -1, minTime: -1 }, prev));
});
