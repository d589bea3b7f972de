// Compares the selection of coins by waste with models that try every subset, over random wallets: targets and fees are
// paid, limits are kept, sums are exact, and no possible selection wastes less.

import t from 'tap';
import { branchAndBound } from '../../../src/wallet/spend/select/branch-and-bound.js';
import { grindCoins } from '../../../src/wallet/spend/select/coin-grinder.js';
import { draftByWaste, type WasteDraftTerms } from '../../../src/wallet/spend/select/draft-by-waste.js';
import { addressGroups, emptyColumns, type Groups, OUTPUT_KINDS, singleGroups } from '../../../src/wallet/spend/select/groups.js';
import { knapsack } from '../../../src/wallet/spend/select/knapsack.js';
import { chooseByWaste, type WasteChoice } from '../../../src/wallet/spend/select/least-waste.js';
import { drawCoins } from '../../../src/wallet/spend/select/random-draw.js';
import { transactionWeight } from '../../../src/wallet/spend/select/tx-size.js';
import { rounds } from '../../framework/depth.js';
import { fc } from '../../framework/fast-check.js';
import { seededSource } from '../../framework/pseudo-random.js';

/** Makes the selection pause at every opportunity. */
const NO_LIMIT = Number.POSITIVE_INFINITY;
const subsets = (count: number): number[][] =>
  Array.from({ length: 2 ** count }, (_, mask) => Array.from({ length: count }, (_, i) => i).filter((i) => (mask >> i) & 1));
const sumOf = (values: ArrayLike<number>, which: readonly number[]): number => which.reduce((sum, i) => sum + values[i], 0);
const isSet = (list: readonly number[], count: number): boolean =>
  new Set(list).size === list.length && list.every((i) => Number.isInteger(i) && i >= 0 && i < count);
const up = (feeRate: number, bytes: number): number => Math.ceil((feeRate * bytes) / 1000);

interface Coin {
  readonly value: number;
  readonly weight: number;
}
const coinsOf = fc.array(fc.record({ value: fc.integer({ min: 1, max: 40 }), weight: fc.integer({ min: 1, max: 5 }) }), {
  minLength: 1,
  maxLength: 9,
});
/** @param rate fee per weight unit now @param longTerm fee per weight unit in the long term */
const columnsOf = (coins: readonly Coin[], rate: number, longTerm: number) => ({
  effective: Float64Array.from(coins, ({ value }) => value),
  weights: Float64Array.from(coins, ({ weight }) => weight),
  fees: Float64Array.from(coins, ({ weight }) => weight * rate),
  longTermFees: Float64Array.from(coins, ({ weight }) => weight * longTerm),
});

t.test('branch and bound finds the least wasteful match within the weight limit', async (t) => {
  let matches = 0;
  await fc.assert(
    fc.asyncProperty(
      coinsOf,
      fc.integer({ min: 1, max: 120 }),
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 2, max: 20 }),
      fc.constantFrom(0, 2, 9),
      async (coins, target, costOfChange, maxWeight, longTerm) => {
        const columns = columnsOf(coins, 3, longTerm);
        const { effective, weights, fees, longTermFees } = columns;
        const search = { ...columns, target, costOfChange, maxWeight, stopsAtNone: false };
        const found = branchAndBound(search);
        const wasteOf = (chosen: readonly number[]): number =>
          sumOf(fees, chosen) - sumOf(longTermFees, chosen) + sumOf(effective, chosen) - target;
        const fits = (chosen: readonly number[]): boolean =>
          sumOf(effective, chosen) >= target &&
          sumOf(effective, chosen) <= target + costOfChange &&
          sumOf(weights, chosen) <= maxWeight &&
          // No selection contains more coins than it needs to reach the target, even if they would reduce the waste.
          chosen.every((i) => sumOf(effective, chosen) - effective[i] < target);
        const matching = subsets(coins.length).filter((chosen) => chosen.length > 0 && fits(chosen));
        // The search tries only one of several coins with the same effective value, the one that wastes less. So it may
        // miss a match with a coin that is lighter.
        const twins = new Set(coins.map(({ value }) => value)).size < coins.length;
        if (typeof found === 'string') return twins || matching.length === 0;
        matches++;
        if (!isSet(found, coins.length) || sumOf(effective, found) < target || sumOf(weights, found) > maxWeight) return false;
        if (sumOf(effective, found) > target + costOfChange) return false;
        return twins || matching.every((chosen) => wasteOf(chosen) >= wasteOf(found));
      },
    ),
    { numRuns: rounds(250, 500) },
  );
  t.ok(matches > rounds(15, 30), `${matches} matches`);
});

t.test('grindCoins finds the lightest coins that pay, then the smallest sum', async (t) => {
  let solved = 0;
  await fc.assert(
    fc.asyncProperty(coinsOf, fc.integer({ min: 1, max: 150 }), fc.integer({ min: 2, max: 30 }), async (coins, target, maxWeight) => {
      const { effective, weights } = columnsOf(coins, 0, 0);
      const found = grindCoins({ effective, weights }, target, maxWeight);
      const paying = subsets(coins.length).filter((chosen) => sumOf(effective, chosen) >= target);
      const light = paying.filter((chosen) => sumOf(weights, chosen) <= maxWeight);
      if (found === 'short') return light.length === 0 && (paying.length === 0 || light.length === 0);
      if (found === 'heavy') return light.length === 0 && paying.length > 0;
      solved++;
      const [weight, sum] = [sumOf(weights, found), sumOf(effective, found)];
      const beaten = light.some(
        (chosen) => sumOf(weights, chosen) < weight || (sumOf(weights, chosen) === weight && sumOf(effective, chosen) < sum),
      );
      return isSet(found, coins.length) && sum >= target && weight <= maxWeight && !beaten;
    }),
    { numRuns: rounds(300, 600) },
  );
  t.ok(solved > rounds(50, 100), `${solved} solved`);
});

t.test('drawCoins and knapsack pay within the limit, and find coins if all together suffice', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      coinsOf,
      fc.integer({ min: 1, max: 150 }),
      fc.constantFrom(6, 12, NO_LIMIT),
      fc.integer(),
      async (coins, target, maxWeight, seed) => {
        const { effective, weights } = columnsOf(coins, 0, 0);
        const total = effective.reduce((sum, value) => sum + value, 0);
        const drawn = drawCoins({ effective, weights }, target, maxWeight, seededSource(seed));
        const packed = knapsack({ values: effective, weights, target, minChange: 5, maxWeight }, seededSource(seed));
        return [drawn, packed].every((found) => {
          if (typeof found === 'string') return maxWeight < NO_LIMIT || total < target;
          return isSet(found, coins.length) && sumOf(effective, found) >= target && sumOf(weights, found) <= maxWeight;
        });
      },
    ),
    { numRuns: rounds(250, 500) },
  );
  t.pass();
});

interface WalletCoin {
  readonly value: number;
  readonly bytes: number;
  readonly depth: number;
  readonly mine: boolean;
  readonly bump: number;
  readonly kind: number;
  readonly address: number;
}
const walletOf = fc.array(
  fc.record({
    value: fc.integer({ min: 300, max: 400_000 }),
    bytes: fc.constantFrom(58, 68, 91, 148),
    depth: fc.constantFrom(0, 1, 6, 100),
    mine: fc.boolean(),
    bump: fc.constantFrom(0, 0, 150, 3000),
    kind: fc.integer({ min: 0, max: OUTPUT_KINDS.length - 1 }),
    address: fc.integer({ min: 0, max: 5 }),
  }),
  { minLength: 1, maxLength: 8 },
);

function columnsFor(list: readonly WalletCoin[]) {
  const coins = emptyColumns(list.length);
  for (const [i, { value, bytes, depth, mine, bump, kind }] of list.entries()) {
    coins.values[i] = value;
    coins.inputBytes[i] = bytes;
    coins.depths[i] = depth;
    coins.fromMe[i] = mine ? 1 : 0;
    coins.ancestors[i] = depth === 0 ? 1 : 0;
    coins.descendants[i] = depth === 0 ? 1 : 0;
    coins.bumpFees[i] = depth === 0 ? bump : 0;
    coins.types[i] = kind;
  }
  return coins;
}
const LIMITS = { maxAncestors: 25, maxDescendants: 25, spendZeroConfChange: true, rejectLongChains: true, includeUnsafe: false };
/** Coins share unconfirmed parents, whose fee is paid only once. In this model the combined fee is half of the sum. */
const half = (bumpFees: Float64Array) => (some: readonly number[]) => Math.floor(sumOf(bumpFees, some) / 2);

t.test('chooseByWaste picks eligible coins and wastes no more than any possible match', async (t) => {
  let chosen = 0;
  await fc.assert(
    fc.asyncProperty(
      walletOf,
      fc.integer({ min: 1000, max: 700_000 }),
      fc.constantFrom(1000, 10_000, 45_000),
      fc.integer(),
      async (list, target, feeRate, seed) => {
        const coins = columnsFor(list);
        const groups = singleGroups(coins);
        const choice: WasteChoice = {
          ...LIMITS,
          coins,
          mixed: groups,
          positive: groups,
          target,
          feeRate,
          longTermFeeRate: 10_000,
          recipientsPay: false,
          changeFee: up(feeRate, 31),
          costOfChange: up(feeRate, 31) + 680,
          smallestViable: 681,
          changeTarget: up(feeRate, 31) + 60_000,
          changeBytes: 31,
          maxWeight: 400_000,
          maxChildWeight: 400_000,
          combinedBump: async (some) => half(coins.bumpFees)(some),
        };
        const found = await chooseByWaste(choice, seededSource(seed));
        const effective = coins.values.map((value, i) => value - up(feeRate, coins.inputBytes[i]) - coins.bumpFees[i]);
        const safest = list.flatMap(({ depth, mine }, i) => (depth >= (mine ? 1 : 6) ? [i] : []));
        const allowed = list.flatMap(({ depth, mine }, i) => (depth >= (mine ? 0 : 1) ? [i] : []));
        if ('error' in found) return sumOf(effective, allowed) < target;
        chosen++;
        if (!isSet(found.coins, list.length) || !found.coins.every((coin) => allowed.includes(coin))) return false;
        const added = sumOf(effective, found.coins) + found.bumpDiscount;
        if (added < target) return false;
        const change = added - target - choice.changeFee;
        const cost = found.coins.reduce((sum, i) => sum + coins.values[i] - effective[i] - up(10_000, coins.inputBytes[i]), 0);
        const waste = cost - found.bumpDiscount + (change >= choice.smallestViable ? choice.costOfChange : added - target);
        if (waste !== found.waste) return false;
        // If there are matches among the safest coins of one kind of address, the search finds one.
        const matches = subsets(safest.length)
          .map((picked) => picked.map((at) => safest[at]))
          .filter((some) => some.length > 0 && some.every((i) => effective[i] > 0 && list[i].kind === list[some[0]].kind))
          .filter((some) => {
            const sum = sumOf(effective, some);
            return sum >= target && sum <= target + choice.costOfChange && some.every((i) => sum - effective[i] < target);
          });
        return matches.every((some) => {
          const spent = some.reduce((sum, i) => sum + up(feeRate, coins.inputBytes[i]) - up(10_000, coins.inputBytes[i]), 0);
          const excess = sumOf(effective, some) - target;
          return found.waste <= spent + (excess - choice.changeFee >= choice.smallestViable ? choice.costOfChange : excess);
        });
      },
    ),
    { numRuns: rounds(200, 400) },
  );
  t.ok(chosen > rounds(50, 100), `${chosen} chosen`);
});

const P2WPKH = Uint8Array.of(0, 20, ...new Array<number>(20).fill(1));

t.test('drafts conserve amounts, pay for size and low-fee ancestors, and keep the limits', async (t) => {
  let drafted = 0;
  await fc.assert(
    fc.asyncProperty(
      walletOf,
      fc.array(fc.record({ share: fc.integer({ min: 1, max: 60 }), subtractFee: fc.boolean() }), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(250, 1000, 10_000, 45_000),
      fc.constantFrom(0, 1, 2),
      fc.boolean(),
      fc.constantFrom(1600, 400_000),
      fc.integer(),
      async (list, payments, feeRate, presetCount, together, maxWeight, seed) => {
        const coins = columnsFor(list);
        const funds = coins.values.reduce((sum, value) => sum + value, 0);
        const recipients = payments.map(({ share, subtractFee }) => ({
          script: P2WPKH,
          amount: Math.max(1000, Math.floor((funds * share) / 100)),
          subtractFee,
        }));
        const addresses = Int32Array.from(list, ({ address }) => address);
        const order = Int32Array.from(list, (_, i) => i);
        const group = async (some: Int32Array): Promise<Groups> =>
          (together ? addressGroups(coins, addresses, some, { maxMembers: 10, maxAncestors: 25 }) : null) ?? singleGroups(coins);
        const worth = order.filter((i) => coins.values[i] > up(feeRate, coins.inputBytes[i]) + coins.bumpFees[i]);
        const presets = Array.from({ length: presetCount }, (_, i) => ({ value: 20_000 + i, bytes: 68, bumpFee: i * 100 }));
        const terms: WasteDraftTerms = {
          ...LIMITS,
          recipients,
          feeRate,
          feeUnknown: false,
          discardRate: 10_000,
          dustRate: 3000,
          changeScript: P2WPKH,
          changePosition: -1,
          longTermFeeRate: 10_000,
          changeSpendBytes: 68,
          maxWeight,
          version: 2,
          coins,
          mixed: await group(order),
          positive: await group(worth),
          addInputs: true,
          presets,
        };
        const sizeOf = (coin: number) => {
          const bytes = coin < list.length ? list[coin].bytes : 68;
          return { scriptSig: 0, witness: bytes * 4 - 164 };
        };
        const combinedBump = half(coins.bumpFees);
        const source = seededSource(seed);
        const limits: number[] = [];
        const below = (limit: number): number => {
          limits.push(limit);
          return source.below(limit);
        };
        const draft = await draftByWaste(terms, {
          inputSize: sizeOf,
          combinedBump: async (some) => combinedBump(some),
          chance: { ...source, below },
          log: () => {},
        });
        if ('error' in draft) return draft.error !== '' && !/Fee paid|Fee needed/.test(draft.error);
        drafted++;
        if (!isSet(draft.coins, list.length + presetCount)) return false;
        for (let i = 0; i < presetCount; i++) if (!draft.coins.includes(list.length + i)) return false;
        const own = draft.coins.filter((coin) => coin < list.length);
        const given = sumOf(coins.values, own) + presets.reduce((sum, { value }) => sum + value, 0);
        const paid = draft.amounts.reduce((sum, amount) => sum + amount, 0);
        if (given !== paid + draft.change + draft.fee) return false;
        const total = recipients.reduce((sum, { amount }) => sum + amount, 0);
        // The first random number is the desired change: 50,000 to twice a payment, but no more than 1,000,000.
        const spread = Math.min(2 * Math.floor(total / recipients.length), 1_000_000) - 50_000;
        if (spread > 0 && limits[0] !== spread) return false;
        const share = total - paid;
        if (recipients.some(({ subtractFee }) => subtractFee) ? !draft.amounts.every((amount) => amount >= 294) : share !== 0) return false;
        if (draft.change > 0 !== draft.changePosition >= 0 || draft.changePosition > recipients.length) return false;
        if (draft.change > 0 && draft.change < 294) return false;
        const scripts = Array.from({ length: recipients.length + (draft.change > 0 ? 1 : 0) }, () => P2WPKH);
        const weight = transactionWeight(draft.coins.map(sizeOf), scripts);
        // The search adds up the weights of single inputs, each rounded up. So the weight of the whole transaction is
        // never larger.
        if (weight > maxWeight && own.length > 0) return false;
        const pending = own.filter((coin) => list[coin].depth === 0);
        const bumps = (own.length > 0 ? combinedBump(pending) : 0) + presets.reduce((sum, { bumpFee }) => sum + bumpFee, 0);
        const needed = up(feeRate, Math.ceil(weight / 4)) + bumps;
        // Without change, the fee also contains the rest that is too small for an output.
        return draft.change > 0 ? draft.fee === needed : draft.fee >= needed;
      },
    ),
    { numRuns: rounds(250, 500) },
  );
  t.ok(drafted > rounds(40, 80), `${drafted} drafted`);
});
