// Bump fees against a model that fills a block naively, over random graphs of unconfirmed transactions.
import fc from 'fast-check';
import t from 'tap';
import { BumpFees } from '../../../src/mempool/bump-fees.js';

interface Tx {
  readonly fee: number;
  readonly size: number;
  readonly parents: readonly number[];
}

/** What is left over when ancestor sets are taken best first, down to the rate. */
function leftOver(txs: readonly Tx[], ancestors: readonly (readonly number[])[], feeRate: number): Set<number> {
  const left = new Set(txs.keys());
  const sumsOf = (set: readonly number[]) => ({
    fee: set.reduce((sum, tx) => sum + txs[tx].fee, 0),
    size: set.reduce((sum, tx) => sum + txs[tx].size, 0),
  });
  for (;;) {
    const sets = [...left].map((tx) => ancestors[tx].filter((one) => left.has(one)));
    // A set that pays the rate may be taken; which goes first does not change what none of them takes.
    const paying = sets.filter((set) => sumsOf(set).fee >= Math.ceil((sumsOf(set).size * feeRate) / 1000));
    if (paying.length === 0) return left;
    for (const tx of paying.sort((a, b) => sumsOf(b).fee / sumsOf(b).size - sumsOf(a).fee / sumsOf(a).size)[0]) left.delete(tx);
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

t.test('what spenders pay for slow parents', (t) => {
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
