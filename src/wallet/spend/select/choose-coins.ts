// Selects coins by the rules of Core 0.21: required coins, then groups from the safest tier that reaches the amount.
// Core: SelectCoins, SelectCoinsMinConf. The rules of later releases (least-waste.ts) use the same tiers.
import { feeForSize } from '../../../policy/fee-rate.js';
import { branchAndBound } from './branch-and-bound.js';
import { type CoinColumns, type Groups, membersOf } from './groups.js';
import { knapsack } from './knapsack.js';
import type { RandomSource } from './random.js';

/** Change below this is avoided if possible, satoshis. */
const MIN_CHANGE = 1_000_000;

/** Sums over the coins that a payment must spend. */
export interface Presets {
  /** Sum of the values of the required coins. */
  readonly value: number;
  /** Sum of the effective values of the required coins: value minus the fee for spending the coin. */
  readonly effective: number;
}

/** Input of a selection. Rates in satoshis per 1,000 virtual bytes. */
export interface ChoiceTerms extends TierTerms {
  readonly coins: CoinColumns;
  readonly groups: Groups;
  readonly presets: Presets;
  readonly feeRate: number;
  readonly longTermFeeRate: number;
  /** Sum of the fee for a change output now and the fee for spending it later. */
  readonly costOfChange: number;
  /** True if recipients pay the fee, so that coins count with their whole value. */
  readonly recipientsPay: boolean;
}

/** Limits from which the tiers of coin selection are made. */
export interface TierTerms {
  readonly maxAncestors: number;
  readonly maxDescendants: number;
  readonly spendZeroConfChange: boolean;
  /**
   * True if payments with long unconfirmed chains are refused (-walletrejectlongchains). Then no tier exceeds the
   * mempool's limits.
   */
  readonly rejectLongChains: boolean;
  /** True to use unconfirmed coins of others, as a last resort. */
  readonly includeUnsafe: boolean;
}

/** Conditions that a group of coins must meet. Coin selection tries one tier after the other. */
export interface Tier {
  /** Confirmations that coins need: from the wallet's own transactions (mine), and from those of others (theirs). */
  readonly mine: number;
  readonly theirs: number;
  readonly ancestors: number;
  /** Limit for descendants of the topmost ancestor; since release 31 for transactions of the cluster. */
  readonly descendants: number;
}

export interface Choice {
  /** Indexes of the chosen coins, without the required ones; null: the coins are not enough. */
  readonly coins: readonly number[] | null;
  /** Value of the chosen and the required coins. */
  readonly value: number;
  /** True if the chosen coins match the amount without change. */
  readonly exact: boolean;
}

/** Returns the tiers, the safest first. */
export function tiersOf(terms: TierTerms): Tier[] {
  const ancestors = Math.max(1, terms.maxAncestors);
  const descendants = Math.max(1, terms.maxDescendants);
  const tiers: Tier[] = [
    { mine: 1, theirs: 6, ancestors: 0, descendants: 0 },
    { mine: 1, theirs: 1, ancestors: 0, descendants: 0 },
  ];
  if (!terms.spendZeroConfChange) return tiers;
  const third = (limit: number): number => Math.min(4, Math.floor(limit / 3));
  tiers.push({ mine: 0, theirs: 1, ancestors: 2, descendants: 2 });
  tiers.push({ mine: 0, theirs: 1, ancestors: third(ancestors), descendants: third(descendants) });
  tiers.push({ mine: 0, theirs: 1, ancestors: Math.floor(ancestors / 2), descendants: Math.floor(descendants / 2) });
  tiers.push({ mine: 0, theirs: 1, ancestors: ancestors - 1, descendants: descendants - 1 });
  if (terms.includeUnsafe) tiers.push({ mine: 0, theirs: 0, ancestors: ancestors - 1, descendants: descendants - 1 });
  if (!terms.rejectLongChains)
    tiers.push({ mine: 0, theirs: 1, ancestors: Number.POSITIVE_INFINITY, descendants: Number.POSITIVE_INFINITY });
  return tiers;
}

/**
 * Selects coins.
 * @param target amount that chosen and required coins together must reach
 * @param exact search for a match without change
 * @param fixedBytes virtual size of everything except inputs, for that search
 */
export function chooseCoins(terms: ChoiceTerms, target: number, exact: boolean, fixedBytes: number, chance: RandomSource): Choice {
  const { presets } = terms;
  const missing = target - (exact ? presets.effective : presets.value);
  if (missing <= 0) return { coins: [], value: presets.value, exact: false };
  let before = -1;
  for (const tier of tiersOf(terms)) {
    const eligible = eligibleGroups(terms.groups, tier);
    // Each tier accepts all groups of the previous tier. If it accepts no others, skip it, because it finds nothing
    // new.
    if (eligible.sum < missing || eligible.groups.length === before) continue;
    before = eligible.groups.length;
    const found = exact ? matchExactly(terms, eligible.groups, missing, fixedBytes) : matchClosely(terms, eligible.groups, missing, chance);
    if (found === null) continue;
    const value = found.reduce((sum, coin) => sum + terms.coins.values[coin], presets.value);
    return { coins: found, value, exact };
  }
  return { coins: null, value: 0, exact };
}

function eligibleGroups(groups: Groups, tier: Tier): { groups: Int32Array; sum: number } {
  const found = new Int32Array(groups.count);
  let count = 0;
  let sum = 0;
  for (let i = 0; i < groups.count; i++) {
    if (groups.depths[i] < (groups.fromMe[i] === 1 ? tier.mine : tier.theirs)) continue;
    if (groups.ancestors[i] > tier.ancestors || groups.descendants[i] > tier.descendants) continue;
    found[count++] = i;
    sum += groups.values[i];
  }
  return { groups: found.subarray(0, count), sum };
}

function matchExactly(terms: ChoiceTerms, eligible: Int32Array, target: number, fixedBytes: number): number[] | null {
  const { coins, groups } = terms;
  const rate = terms.recipientsPay ? 0 : terms.feeRate;
  const feeOf = (coin: number, at: number): number => (coins.inputBytes[coin] < 0 ? 0 : feeForSize(at, coins.inputBytes[coin]));
  const worthwhile = new Int32Array(eligible.length);
  const effective = new Float64Array(eligible.length);
  const fees = new Float64Array(eligible.length);
  const longTermFees = new Float64Array(eligible.length);
  let count = 0;
  for (let at = 0; at < eligible.length; at++) {
    const group = eligible[at];
    for (let i = groups.starts[group]; i < groups.starts[group + 1]; i++) {
      const coin = groups.members[i];
      const fee = feeOf(coin, rate);
      // Skip coins that cost more than they are worth.
      if (coins.values[coin] <= fee) continue;
      effective[count] += coins.values[coin] - fee;
      fees[count] += fee;
      longTermFees[count] += feeOf(coin, terms.longTermFeeRate);
    }
    if (effective[count] > 0) worthwhile[count++] = group;
  }
  const search = {
    effective: effective.subarray(0, count),
    fees: fees.subarray(0, count),
    longTermFees: longTermFees.subarray(0, count),
    target: target + feeForSize(terms.feeRate, fixedBytes),
    costOfChange: terms.costOfChange,
    weights: new Float64Array(count),
    maxWeight: Number.POSITIVE_INFINITY,
    stopsAtNone: true,
  };
  const found = branchAndBound(search);
  if (typeof found === 'string') return null;
  return found.flatMap((at) => membersOf(groups, worthwhile[at]).filter((coin) => coins.values[coin] > feeOf(coin, rate)));
}

function matchClosely(terms: ChoiceTerms, eligible: Int32Array, target: number, chance: RandomSource): number[] | null {
  const { groups } = terms;
  const values = new Float64Array(eligible.length);
  for (let i = 0; i < values.length; i++) values[i] = groups.values[eligible[i]];
  const search = { values, weights: new Float64Array(values.length), target, minChange: MIN_CHANGE, maxWeight: Number.POSITIVE_INFINITY };
  const found = knapsack(search, chance);
  return typeof found === 'string' ? null : found.flatMap((at) => membersOf(groups, eligible[at]));
}
