// The second look at an assembly finds what selection could do wrong.
import t from 'tap';
import { checkAssembly } from '../../../src/jobs/check-assembly.js';
import type { Selection } from '../../../src/selection/ancestor-selection.js';

const RULES = { maxWeight: 10_000, reservedWeight: 4000, height: 100, lockTimeCutoff: 500_000_100, segwitActive: true };

/** Three transactions; 1 spends 0. */
function columns() {
  const of = (...values: number[]): Float64Array => Float64Array.from(values);
  return {
    fee: of(100, 200, 300),
    modifiedFee: of(100, 200, 300),
    size: of(100, 100, 100),
    weight: of(400, 500, 600),
    sigops: of(4, 8, 12),
    ancestorCount: of(1, 2, 1),
    ancestorSize: of(100, 200, 100),
    ancestorFees: of(100, 300, 300),
    ancestorSigops: of(4, 12, 12),
    lockTime: of(0, 0, 0),
    hasWitness: Uint8Array.of(0, 0, 1),
    txids: new Uint8Array(96),
    used: Uint8Array.of(1, 1, 1),
    parents: [[], [0], []],
    children: [[1], [], []],
  };
}

const chosen = (over: Partial<Selection> = {}): Selection => ({
  slots: Int32Array.of(2, 0, 1),
  fees: 600,
  weight: 5500,
  sigops: 424,
  cut: null,
  ...over,
});

t.test('checkAssembly finds wrong orders, duplicates, limits and sums', async (t) => {
  const c = columns();
  t.equal(checkAssembly(c, chosen(), RULES), '');
  t.equal(checkAssembly(c, chosen({ slots: Int32Array.of(2, 1, 0) }), RULES), 'slot 1 comes before its parent 0');
  t.equal(checkAssembly(c, chosen({ slots: Int32Array.of(1) }), RULES), 'slot 1 comes before its parent 0');
  t.equal(checkAssembly(c, chosen({ slots: Int32Array.of(2, 2) }), RULES), 'slot 2 is chosen twice');
  t.equal(checkAssembly({ ...c, used: Uint8Array.of(1, 1, 0) }, chosen(), RULES), 'slot 2 is not in use');
  t.equal(checkAssembly(c, chosen(), { ...RULES, segwitActive: false }), 'slot 2 has a witness too early');
  t.equal(checkAssembly(c, chosen(), { ...RULES, maxWeight: 5499 }), 'weight 5500 of 5499, said to be 5500');
  t.equal(checkAssembly(c, chosen({ weight: 5400 }), RULES), 'weight 5500 of 10000, said to be 5400');
  t.equal(checkAssembly(c, chosen({ sigops: 400 }), RULES), 'sigop cost 424, said to be 400');
  t.equal(checkAssembly(c, chosen({ fees: 601 }), RULES), 'fees 600, said to be 601');
  const many = { ...c, sigops: Float64Array.of(4, 8, 79_600) };
  t.equal(checkAssembly(many, chosen({ sigops: 80_012 }), RULES), 'sigop cost 80012, said to be 80012');
  for (const [lock, final] of [
    [99, true],
    [100, false],
    [500_000_099, true],
    [500_000_100, false],
  ] as const) {
    const locked = { ...c, lockTime: Float64Array.of(0, 0, lock) };
    t.equal(checkAssembly(locked, chosen(), RULES), final ? '' : 'slot 2 is not final', `lock time ${lock}`);
  }
});
