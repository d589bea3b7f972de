// Compares coin selection and drafting of payments with models that try every subset, over random wallets.

import t from 'tap';
import { branchAndBound, type ExactSearch } from '../../../src/wallet/spend/select/branch-and-bound.js';
import { type ChoiceTerms, chooseCoins, tiersOf } from '../../../src/wallet/spend/select/choose-coins.js';
import { draftPayment, type Recipient } from '../../../src/wallet/spend/select/draft.js';
import { addressGroups, emptyColumns, singleGroups } from '../../../src/wallet/spend/select/groups.js';
import { knapsack } from '../../../src/wallet/spend/select/knapsack.js';
import { descending, randomOrder } from '../../../src/wallet/spend/select/order.js';
import { inputVirtualSize, outputBytes, transactionWeight, virtualSize } from '../../../src/wallet/spend/select/tx-size.js';
import { fc } from '../../framework/fast-check.js';
import { seededSource } from '../../framework/pseudo-random.js';

/** Makes the selection pause at every opportunity. */
const CENT = 1_000_000;
const P2WPKH = new Uint8Array(22).fill(1);
P2WPKH[0] = 0;
P2WPKH[1] = 20;
/** Any weight is allowed. */
const WEIGHTLESS = (count: number) => ({ weights: new Float64Array(count), maxWeight: Number.POSITIVE_INFINITY });
const KEY_INPUT = { scriptSig: 0, witness: 107 };
const subsets = (count: number): number[][] =>
  Array.from({ length: 2 ** count }, (_, mask) => Array.from({ length: count }, (_, i) => i).filter((i) => (mask >> i) & 1));
const sumOf = (values: ArrayLike<number>, which: readonly number[]): number => which.reduce((sum, i) => sum + values[i], 0);

t.test('sorts stably, and random orders contain every index once', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 20_000 }), fc.integer(), async (count, seed) => {
      const chance = seededSource(seed);
      const keys = Float64Array.from({ length: count }, () => chance.below(1000));
      const order = descending(keys);
      const wanted = Array.from(keys, (_, i) => i).sort((a, b) => keys[b] - keys[a] || a - b);
      const random = randomOrder(count, chance);
      return order.every((at, i) => at === wanted[i]) && [...random].sort((a, b) => a - b).every((at, i) => at === i);
    }),
    { numRuns: 15 },
  );
  t.pass();
});

/**
 * Returns the least waste that the search may find, over the subsets that match and have no coin beyond the one that
 * reached the target.
 */
function leastWaste({ effective, fees, longTermFees, target, costOfChange }: ExactSearch): number | null {
  const order = Array.from(effective, (_, i) => i).sort((a, b) => effective[b] - effective[a] || a - b);
  let least: number | null = null;
  for (const chosen of subsets(effective.length)) {
    const inOrder = order.filter((i) => chosen.includes(i));
    const sum = sumOf(effective, inOrder);
    if (inOrder.length === 0 || sum < target || sum > target + costOfChange) continue;
    if (sum - effective[inOrder[inOrder.length - 1]] >= target) continue;
    const waste = sumOf(fees, inOrder) - sumOf(longTermFees, inOrder) + sum - target;
    if (least === null || waste < least) least = waste;
  }
  return least;
}

t.test('branch and bound finds the least wasteful match whenever there is one', async (t) => {
  let matches = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 11 }),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 0, max: 12 }),
      fc.constantFrom(1, 3),
      fc.constantFrom(1, 2, 3),
      async (values, target, costOfChange, fee, longTerm) => {
        const search: ExactSearch = {
          effective: Float64Array.from(values),
          fees: new Float64Array(values.length).fill(fee),
          longTermFees: new Float64Array(values.length).fill(longTerm),
          target,
          costOfChange,
          ...WEIGHTLESS(values.length),
          stopsAtNone: true,
        };
        const found = branchAndBound(search);
        const least = leastWaste(search);
        if (found === 'short' || found === 'heavy' || least === null) return found === 'short' && least === null;
        matches++;
        const sum = sumOf(values, found);
        const waste = found.length * (fee - longTerm) + sum - target;
        // A selection without waste ends the search, even if another one has negative waste because coins are cheap to
        // spend now.
        return new Set(found).size === found.length && sum >= target && sum <= target + costOfChange && (waste === least || waste === 0);
      },
    ),
    { numRuns: 400 },
  );
  t.ok(matches > 50, `${matches} matches`);
});

t.test('branch and bound ends when nothing matches among nearly equal coins', async (t) => {
  const effective = Float64Array.from({ length: 40 }, (_, i) => 2 ** 20 + 2 ** (i % 20));
  const zeros = new Float64Array(40);
  const search = { effective, fees: zeros, longTermFees: zeros, target: 21 * 2 ** 20 - 1, costOfChange: 0 };
  t.equal(branchAndBound({ ...search, ...WEIGHTLESS(40), stopsAtNone: true }), 'short');
});

t.test('knapsack matches the best subset for few coins and pays whenever the coins suffice', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 100 }),
      fc.integer(),
      async (tenths, target10, seed) => {
        const values = Float64Array.from(tenths, (tenth) => (tenth * CENT) / 4 + tenth);
        const target = (target10 * CENT) / 4;
        const search = { values, target, minChange: CENT, ...WEIGHTLESS(values.length) };
        const found = knapsack(search, seededSource(seed));
        const total = values.reduce((sum, value) => sum + value, 0);
        if (typeof found === 'string') return total < target;
        const sum = sumOf(values, found);
        if (new Set(found).size !== found.length || sum < target) return false;
        const sums = subsets(values.length).map((chosen) => sumOf(values, chosen));
        if (sums.includes(target)) return sum === target;
        // Without an exact match, the result is the smallest sum that leaves enough change. If there is none, any sum
        // that reaches the target is allowed.
        const roomy = sums.filter((other) => other >= target + CENT);
        return roomy.length === 0 || sum <= Math.min(...roomy);
      },
    ),
    { numRuns: 300 },
  );
  t.pass();
});

t.test('tiersOf lists the safest coins first and unconfirmed change last', (t) => {
  const limits = { maxAncestors: 25, maxDescendants: 25, spendZeroConfChange: true, rejectLongChains: false, includeUnsafe: false };
  const tiers = tiersOf(limits);
  t.same(
    tiers.map(({ mine, theirs, ancestors }) => [mine, theirs, ancestors]),
    [
      [1, 6, 0],
      [1, 1, 0],
      [0, 1, 2],
      [0, 1, 4],
      [0, 1, 12],
      [0, 1, 24],
      [0, 1, Number.POSITIVE_INFINITY],
    ],
  );
  t.equal(tiersOf({ ...limits, spendZeroConfChange: false }).length, 2);
  t.equal(tiersOf({ ...limits, rejectLongChains: true }).length, 6);
  t.end();
});

interface TestCoin {
  readonly value: number;
  readonly depth?: number;
  readonly mine?: boolean;
  readonly ancestors?: number;
}

function termsOf(list: readonly TestCoin[], more: Partial<ChoiceTerms> = {}): ChoiceTerms {
  const coins = emptyColumns(list.length);
  list.forEach(({ value, depth = 10, mine = false, ancestors = 0 }, i) => {
    coins.values[i] = value;
    coins.depths[i] = depth;
    coins.fromMe[i] = mine ? 1 : 0;
    coins.ancestors[i] = ancestors;
    coins.descendants[i] = ancestors;
    coins.inputBytes[i] = inputVirtualSize(KEY_INPUT);
  });
  return {
    coins,
    groups: singleGroups(coins),
    presets: { value: 0, effective: 0 },
    feeRate: 10_000,
    longTermFeeRate: 10_000,
    costOfChange: 1000,
    recipientsPay: false,
    maxAncestors: 25,
    maxDescendants: 25,
    spendZeroConfChange: true,
    rejectLongChains: false,
    includeUnsafe: false,
    ...more,
  };
}

t.test('spends from the safest tier that reaches the amount', async (t) => {
  const list: TestCoin[] = [
    { value: 5 * CENT, depth: 0, mine: true, ancestors: 1 },
    { value: 5 * CENT, depth: 0, mine: true, ancestors: 20 },
    { value: 5 * CENT, depth: 2 },
    { value: 5 * CENT, depth: 1, mine: true },
    { value: 5 * CENT, depth: 6 },
  ];
  const chosen = async (target: number, more: Partial<ChoiceTerms> = {}): Promise<number[] | null> => {
    const choice = chooseCoins(termsOf(list, more), target, false, 0, seededSource(1));
    return choice.coins && [...choice.coins].sort((a, b) => a - b);
  };
  for (let i = 0; i < 20; i++) t.ok([3, 4].includes((await chosen(4 * CENT))![0]), 'confirmed for good or mine');
  t.same(await chosen(10 * CENT), [3, 4]);
  t.same(await chosen(15 * CENT), [2, 3, 4], 'then what has one confirmation');
  t.same(await chosen(20 * CENT), [0, 2, 3, 4], 'then young change');
  t.same(await chosen(25 * CENT), [0, 1, 2, 3, 4], 'then long chains');
  t.equal(await chosen(25 * CENT, { maxAncestors: 20, maxDescendants: 20, rejectLongChains: true }), null);
  t.equal(await chosen(20 * CENT, { spendZeroConfChange: false }), null);
  t.equal(await chosen(25 * CENT + 1), null);
});

t.test('groups coins of an address, as many as the limit at most', async (t) => {
  const list = Array.from({ length: 25 }, () => ({ value: CENT }));
  const { coins } = termsOf([...list, { value: 7 * CENT }, { value: 9 * CENT, depth: 3 }]);
  const numbers = Int32Array.from({ length: 27 }, (_, i) => (i < 25 ? 0 : -1));
  const order = randomOrder(27, seededSource(5));
  const groups = addressGroups(coins, numbers, order, { maxMembers: 10, maxAncestors: 25 })!;
  t.same(
    [...groups.values].sort((a, b) => a - b),
    [5 * CENT, 7 * CENT, 9 * CENT, 10 * CENT, 10 * CENT],
  );
  const rest = groups.values.indexOf(5 * CENT);
  t.equal(groups.ancestors[rest], 24, 'what is left of a full address is a last resort');
  t.equal(groups.depths[groups.values.indexOf(9 * CENT)], 3);
  t.same(
    [...groups.members].sort((a, b) => a - b),
    Array.from({ length: 27 }, (_, i) => i),
  );
  const large = addressGroups(coins, numbers, order, { maxMembers: 100, maxAncestors: 25 })!;
  t.same(
    [...large.values].sort((a, b) => a - b),
    [7 * CENT, 9 * CENT, 25 * CENT],
    'one group of fewer than 100 coins',
  );
  t.equal(large.ancestors[large.values.indexOf(25 * CENT)], 0, 'and no rest');
  const alone = Int32Array.from({ length: 27 }, (_, i) => i);
  t.equal(addressGroups(coins, alone, order, { maxMembers: 10, maxAncestors: 25 }), null, 'nothing shared, nothing to group');
  const terms = termsOf([...list, { value: 7 * CENT }, { value: 9 * CENT, depth: 3 }], { groups });
  const choice = chooseCoins(terms, 8 * CENT, false, 0, seededSource(3));
  t.ok([10, 11].includes(choice.coins!.length) || choice.value === 16 * CENT, 'whole groups');
});

t.test('computes the same sizes as Core for the usual inputs', (t) => {
  t.equal(inputVirtualSize(KEY_INPUT), 68);
  t.equal(inputVirtualSize({ scriptSig: 106, witness: 0 }), 148);
  t.equal(inputVirtualSize({ scriptSig: 23, witness: 107 }), 91);
  t.equal(outputBytes(P2WPKH), 31);
  t.equal(virtualSize([KEY_INPUT], [P2WPKH, P2WPKH]), 141);
  t.equal(transactionWeight([{ scriptSig: 106, witness: 0 }], [P2WPKH]), 4 * (10 + 147 + 31), 'no mark of witnesses');
  t.equal(virtualSize([KEY_INPUT, { scriptSig: 106, witness: 0 }], [P2WPKH]), Math.ceil((4 * (10 + 41 + 147 + 31) + 2 + 107 + 1) / 4));
  t.end();
});

t.test('drafts conserve amounts and pay the fee of their size', async (t) => {
  let withChange = 0;
  let exactOnes = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 300, max: 30 * CENT }), { minLength: 1, maxLength: 14 }),
      fc.array(fc.record({ amount: fc.integer({ min: 100, max: 20 * CENT }), pays: fc.boolean() }), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      fc.integer({ min: 1000, max: 200_000 }),
      fc.integer(),
      fc.integer({ min: 0, max: 3 }),
      async (values, asked, someoneElsePays, feeRate, seed, matching) => {
        const chance = seededSource(seed);
        // In some cases the amount is chosen so that some coins nearly match it.
        const some = values.slice(0, matching);
        const nearly = some.reduce((sum, value) => sum + value, 0) - some.length * Math.floor((68 * feeRate) / 1000) - (seed & 1023);
        const paid = some.length > 0 && nearly > 0 ? [{ amount: nearly, pays: asked[0].pays }] : asked;
        const recipients: Recipient[] = paid.map(({ amount, pays }) => ({
          script: P2WPKH,
          amount,
          subtractFee: pays && !someoneElsePays,
        }));
        const recipientsPay = recipients.some(({ subtractFee }) => subtractFee);
        const terms = termsOf(
          values.map((value) => ({ value })),
          { feeRate, recipientsPay },
        );
        const drafted = await draftPayment(
          { recipients, feeRate, feeUnknown: false, discardRate: 10_000, dustRate: 3000, changeScript: P2WPKH, changePosition: -1 },
          {
            chance,
            inputSize: () => KEY_INPUT,
            choose: (target, exact, fixed) => chooseCoins(terms, target, exact, fixed, chance),
          },
        );
        const total = values.reduce((sum, value) => sum + value, 0);
        const wanted = recipients.reduce((sum, { amount }) => sum + amount, 0);
        if ('error' in drafted) {
          refused++;
          // A refusal must be justified: an amount is dust, or the coins cannot pay the amounts and the fee of spending
          // all of them.
          const all = virtualSize(Array(values.length).fill(KEY_INPUT), [...recipients.map(({ script }) => script), P2WPKH]);
          const most = Math.ceil((feeRate * all) / 1000);
          if (drafted.error === 'Insufficient funds') return total < wanted + (recipientsPay ? 0 : most);
          return recipients.some(({ amount }) => amount < 294 + most) && drafted.error !== 'Transaction fee and change calculation failed';
        }
        const { coins, fee, size, amounts, change, changePosition } = drafted;
        const input = coins.reduce((sum, coin) => sum + values[coin], 0);
        const output = amounts.reduce((sum, amount) => sum + amount, 0) + change;
        const scripts = Array(recipients.length + (change > 0 ? 1 : 0)).fill(P2WPKH);
        const needed = Math.floor((feeRate * size) / 1000);
        if (change > 0) withChange++;
        else exactOnes++;
        const shares = recipients.map(({ amount }, i) => amount - amounts[i]);
        return (
          new Set(coins).size === coins.length &&
          input === output + fee &&
          size === virtualSize(Array(coins.length).fill(KEY_INPUT), scripts) &&
          fee >= needed &&
          // With change, the fee is exact. Without change, the excess is limited: it is at most the cost of change, or
          // would be dust, or comes from an exact match.
          (change === 0 || fee === needed) &&
          change >= 0 &&
          (change === 0 || change >= 980) &&
          change > 0 === changePosition >= 0 &&
          changePosition <= recipients.length &&
          amounts.every((amount) => amount >= 294) &&
          recipients.every(({ subtractFee }, i) => subtractFee || shares[i] === 0) &&
          (!recipientsPay || Math.max(...shares) - Math.min(...shares.filter((_, i) => recipients[i].subtractFee)) < recipients.length)
        );
      },
    ),
    { numRuns: 500 },
  );
  t.ok(withChange > 50 && exactOnes > 10 && refused > 20, `${withChange} with change, ${exactOnes} without, ${refused} refused`);
});

t.test('rejects impossible drafts with the messages of Core', async (t) => {
  const draft = async (
    recipients: Recipient[],
    more: { values?: number[]; feeUnknown?: boolean; size?: null; position?: number } = {},
  ): Promise<string | null> => {
    const terms = termsOf(
      (more.values ?? [CENT]).map((value) => ({ value })),
      { recipientsPay: recipients.some(({ subtractFee }) => subtractFee) },
    );
    const made = await draftPayment(
      {
        recipients,
        feeRate: 10_000,
        feeUnknown: more.feeUnknown ?? false,
        discardRate: 10_000,
        dustRate: 3000,
        changeScript: P2WPKH,
        changePosition: more.position ?? -1,
      },
      {
        chance: seededSource(1),
        inputSize: () => (more.size === null ? null : KEY_INPUT),
        choose: (target, exact, fixed) => chooseCoins(terms, target, exact, fixed, seededSource(1)),
      },
    );
    return 'error' in made ? made.error : null;
  };
  const to = (amount: number, subtractFee = false): Recipient => ({ script: P2WPKH, amount, subtractFee });
  t.equal(await draft([]), 'Transaction must have at least one recipient');
  t.equal(await draft([to(-1)]), 'Transaction amounts must not be negative');
  t.equal(await draft([to(293)]), 'Transaction amount too small');
  t.equal(await draft([to(294)]), null);
  t.equal(await draft([to(CENT)]), 'Insufficient funds', 'the fee is missing');
  t.equal(await draft([to(CENT, true)]), null);
  t.equal(await draft([to(400, true)]), 'The transaction amount is too small to pay the fee');
  t.equal(await draft([to(1500, true)]), 'The transaction amount is too small to send after the fee has been deducted');
  t.equal(await draft([to(1000)], { size: null }), 'Signing transaction failed');
  t.match(await draft([to(1000)], { feeUnknown: true }), /^Fee estimation failed\. Fallbackfee is disabled\./);
  t.equal(await draft([to(1000)], { position: 2 }), 'Change index out of range');
  t.equal(await draft([to(1000)], { position: 1 }), null);
});
