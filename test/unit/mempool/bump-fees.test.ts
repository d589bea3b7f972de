// Compares bump fees with a model that fills a block naively, over random graphs of unconfirmed transactions.

import t from 'tap';
import { BumpFees } from '../../../src/mempool/bump-fees.js';
import { fc } from '../../framework/fast-check.js';

interface Tx {
  readonly fee: number;
  readonly size: number;
  readonly parents: readonly number[];
}

const rateOf = ({ fee, size }: { fee: number; size: number }): number => fee / size;

/**
 * Returns the transactions that remain when ancestor sets are taken one by one until the next one is below the rate.
 * The order is given by the lower of a transaction's own rate and its set's rate: a child with a low rate waits until
 * its parents with higher rates are taken.
 */
function leftOver(txs: readonly Tx[], ancestors: readonly (readonly number[])[], feeRate: number): Set<number> {
  const left = new Set(txs.keys());
  for (;;) {
    const sets = [...left].map((tx) => {
      const members = ancestors[tx].filter((one) => left.has(one));
      const fee = members.reduce((sum, one) => sum + txs[one].fee, 0);
      const size = members.reduce((sum, one) => sum + txs[one].size, 0);
      const ranks = rateOf(txs[tx]) < rateOf({ fee, size }) ? txs[tx] : { fee, size };
      return { members, fee, size, ranks };
    });
    const [next] = sets.sort((a, b) => rateOf(b.ranks) - rateOf(a.ranks) || a.ranks.size - b.ranks.size);
    if (next === undefined || next.fee < Math.ceil((next.size * feeRate) / 1000)) return left;
    for (const tx of next.members) left.delete(tx);
  }
}

const graphs = fc
  .array(
    fc.record({
      fee: fc.integer({ min: 0, max: 5000 }),
      size: fc.integer({ min: 100, max: 400 }),
      links: fc.array(fc.nat(), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((list) => list.map(({ fee, size, links }, i): Tx => ({ fee, size, parents: i === 0 ? [] : links.map((link) => link % i) })));

t.test('bump fees equal those of a naive model for random graphs of transactions', (t) => {
  let lacking = 0;
  fc.assert(
    fc.property(graphs, fc.constantFrom(1000, 5000, 12_345), (txs, feeRate) => {
      const ancestors: number[][] = [];
      for (const [i, { parents }] of txs.entries()) ancestors.push([...new Set([i, ...parents.flatMap((parent) => ancestors[parent])])]);
      const fees = Float64Array.from(txs, ({ fee }) => fee);
      const sizes = Float64Array.from(txs, ({ size }) => size);
      const bump = new BumpFees({ fees, sizes, ancestors }, feeRate);
      const left = leftOver(txs, ancestors, feeRate);
      const lack = (set: readonly number[]): number => {
        const size = set.reduce((sum, tx) => sum + txs[tx].size, 0);
        return Math.ceil((size * feeRate) / 1000) - set.reduce((sum, tx) => sum + txs[tx].fee, 0);
      };
      const setOf = (some: readonly number[]): number[] => [...new Set(some.flatMap((tx) => ancestors[tx]))].filter((tx) => left.has(tx));
      const each = txs.map((_, tx) => bump.of(tx));
      lacking += each.filter((fee) => fee > 0).length;
      if (each.some((fee, tx) => fee !== (left.has(tx) ? Math.max(lack(setOf([tx])), lack([tx])) : 0))) return false;
      const some = [...txs.keys()].filter((tx) => tx % 2 === 0);
      const waiting = some.filter((tx) => left.has(tx));
      return bump.ofAll(some) === (waiting.length === 0 ? 0 : lack(setOf(waiting)));
    }),
    { numRuns: 500 },
  );
  t.ok(lacking > 100, `${lacking} lacking`);
  t.end();
});

t.test('adds a bump fee when a poor child does not lift two rich parents over the rate', async (t) => {
  // The grandparent, two parents and their child together pay 1.1 satoshis per byte. The child alone pays 0.8, less
  // than a parent with the grandparent (0.9). So that pair is considered first, and it ends the block.
  const graph = {
    fees: Float64Array.of(0, 180, 180, 80),
    sizes: Float64Array.of(100, 100, 100, 100),
    ancestors: [[0], [0, 1], [0, 2], [0, 1, 2, 3]],
  };
  const bump = new BumpFees(graph, 1000);
  t.same([bump.of(0), bump.of(1), bump.of(2), bump.of(3)], [100, 20, 20, 20]);
  // Here the child pays as much as its set, so all of them are taken together.
  const rich = new BumpFees({ ...graph, fees: Float64Array.of(0, 180, 180, 110) }, 1000);
  t.same([rich.of(0), rich.of(1), rich.of(2), rich.of(3)], [0, 0, 0, 0]);
});
