// Compares the search for coins that need no change with a check of every subset, when the present fee rate is higher
// than the long-term one.
import t from 'tap';
import { branchAndBound, type ExactSearch } from '../../../src/wallet/spend/select/branch-and-bound.js';
import { fc } from '../../framework/fast-check.js';

const searches = fc
  .record({
    groups: fc.array(fc.record({ effective: fc.integer({ min: 1, max: 40 }), fee: fc.integer({ min: 5, max: 9 }), later: fc.nat(4) }), {
      minLength: 1,
      maxLength: 8,
    }),
    target: fc.integer({ min: 1, max: 120 }),
    costOfChange: fc.nat(12),
    most: fc.integer({ min: 1, max: 8 }),
  })
  .map(
    ({ groups, target, costOfChange, most }): ExactSearch => ({
      effective: Float64Array.from(groups, ({ effective }) => effective),
      fees: Float64Array.from(groups, ({ fee }) => fee),
      longTermFees: Float64Array.from(groups, ({ later }) => later),
      weights: new Float64Array(groups.length).fill(10),
      target,
      costOfChange,
      maxWeight: 10 * most,
      stopsAtNone: false,
    }),
  );

interface Sums {
  readonly value: number;
  readonly weight: number;
  readonly waste: number;
}

function sumsOf({ effective, weights, fees, longTermFees }: ExactSearch, chosen: readonly number[]): Sums {
  const sum = (of: (group: number) => number): number => chosen.reduce((total, group) => total + of(group), 0);
  return { value: sum((i) => effective[i]), weight: sum((i) => weights[i]), waste: sum((i) => fees[i] - longTermFees[i]) };
}

t.test('finds the least wasteful matching set of coins when spending later is cheaper', async (t) => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(searches, async (search) => {
      const { effective, target, costOfChange, maxWeight } = search;
      const sets = Array.from({ length: 2 ** effective.length }, (_, set) => [...effective.keys()].filter((i) => (set >> i) & 1));
      const fits = ({ value, weight }: Sums): boolean => value >= target && value <= target + costOfChange && weight <= maxWeight;
      const wasteOf = ({ value, waste }: Sums): number => waste + value - target;
      const least = Math.min(
        ...sets
          .map((chosen) => sumsOf(search, chosen))
          .filter(fits)
          .map(wasteOf),
      );
      const chosen = branchAndBound(search);
      if (typeof chosen === 'string') return least === Number.POSITIVE_INFINITY;
      found++;
      const sums = sumsOf(search, chosen);
      return new Set(chosen).size === chosen.length && fits(sums) && wasteOf(sums) === least;
    }),
    { numRuns: 500 },
  );
  t.ok(found > 100, `${found} found`);
});
