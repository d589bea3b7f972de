// Selects coins by the rules since release 22: several searches over coins of one address type, then over all types.
// The result with the least waste wins. Waste is what inputs cost more now than at the long-term rate, plus the cost of
// change, or the excess without change. Core's master: AutomaticCoinSelection, AttemptSelection, ChooseSelectionResult.
import { feeForSize } from '../../../policy/fee-rate.js';
import { branchAndBound, type Found, type GroupColumns } from './branch-and-bound.js';
import { type Tier, type TierTerms, tiersOf } from './choose-coins.js';
import { grindCoins } from './coin-grinder.js';
import { type CoinColumns, type Groups, membersOf } from './groups.js';
import { knapsack } from './knapsack.js';
import type { RandomSource } from './random.js';
import { drawCoins } from './random-draw.js';

const WITNESS_SCALE = 4;
/** Smallest change that a random draw leaves, satoshis. */
export const SMALLEST_CHANGE = 50_000;
/** Above this multiple of the long-term rate, CoinGrinder also searches for the lightest inputs. */
const HIGH_FEES = 3;

const TOO_HEAVY =
  "The inputs size exceeds the maximum weight. Please try sending a smaller amount or manually consolidating your wallet's UTXOs";
const CHAIN_TOO_LONG =
  'Unconfirmed UTXOs are available, but spending them creates a chain of transactions that will be rejected by the mempool';
export const CLUSTER_TOO_LARGE =
  'Failed to calculate bump fees, because unconfirmed UTXOs depend on an enormous cluster of unconfirmed transactions.';

/** Terms of a selection. Rates in satoshis per 1,000 virtual bytes, amounts in satoshis. */
export interface WasteTerms {
  readonly feeRate: number;
  readonly longTermFeeRate: number;
  /** True if recipients pay the fee, so that coins count with their whole value. */
  readonly recipientsPay: boolean;
  /** Fee of a change output now. */
  readonly changeFee: number;
  /** Sum of the fee for a change output now and the fee for spending it later. */
  readonly costOfChange: number;
  /** Change below this goes to the fee. */
  readonly smallestViable: number;
  /** Desired change, including its fee. */
  readonly changeTarget: number;
  /** Virtual bytes of a change output. */
  readonly changeBytes: number;
  /** Largest weight of all inputs, with or without change. */
  readonly maxWeight: number;
  /** Largest weight if an input is unconfirmed; differs from maxWeight only for version 3. */
  readonly maxChildWeight: number;
}

export interface WasteChoice extends WasteTerms, TierTerms {
  readonly coins: CoinColumns;
  /** Groups of all coins, and groups of coins with a positive effective value. */
  readonly mixed: Groups;
  readonly positive: Groups;
  /** Sum of effective values to reach. */
  readonly target: number;
  /** Returns the bump fee for spending some coins together; null: too many unconfirmed transactions. */
  combinedBump(coins: readonly number[]): Promise<number | null>;
}

export interface Selection {
  readonly coins: readonly number[];
  /**
   * Amount by which the sum of the coins' single bump fees is too high, because it counts shared parents more than
   * once.
   */
  readonly bumpDiscount: number;
  readonly waste: number;
  readonly algorithm: 'bnb' | 'knapsack' | 'cg' | 'srd' | 'manual';
}

/** Reason why no coins were selected, as an error text; empty if the coins are not enough. */
export interface Refusal {
  readonly error: string;
}

const SHORT: Refusal = { error: '' };

/** Returns the fee for spending a coin now, including the bump fee of its unconfirmed parents. */
export const spendFee = ({ inputBytes, bumpFees }: CoinColumns, coin: number, feeRate: number): number =>
  (inputBytes[coin] < 0 ? 0 : feeForSize(feeRate, inputBytes[coin], true)) + bumpFees[coin];

/** Groups with their effective values, fees and weights. */
class EvaluatedGroups implements GroupColumns {
  readonly groups: Groups;
  readonly effective: Float64Array;
  readonly fees: Float64Array;
  readonly longTermFees: Float64Array;
  readonly weights: Float64Array;

  constructor(groups: Groups, { coins, feeRate, longTermFeeRate, recipientsPay }: WasteChoice) {
    const { count } = groups;
    this.groups = groups;
    [this.effective, this.fees, this.longTermFees, this.weights] = Array.from({ length: 4 }, () => new Float64Array(count)) as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    for (let group = 0; group < count; group++) {
      for (let i = groups.starts[group]; i < groups.starts[group + 1]; i++) {
        const coin = groups.members[i];
        const bytes = Math.max(0, coins.inputBytes[coin]);
        const fee = spendFee(coins, coin, feeRate);
        this.fees[group] += fee;
        this.longTermFees[group] += feeForSize(longTermFeeRate, bytes, true);
        this.effective[group] += coins.values[coin] - (recipientsPay ? 0 : fee);
        this.weights[group] += bytes * WITNESS_SCALE;
      }
    }
  }

  columns(picked: readonly number[]): GroupColumns {
    const some = (column: Float64Array): Float64Array => Float64Array.from(picked, (group) => column[group]);
    return {
      effective: some(this.effective),
      fees: some(this.fees),
      longTermFees: some(this.longTermFees),
      weights: some(this.weights),
    };
  }
}

/** Numbers of the groups that one search may use: all, and those with a positive effective value. */
interface Candidates {
  readonly mixed: number[];
  readonly positive: number[];
}

export async function chooseByWaste(choice: WasteChoice, chance: RandomSource): Promise<Selection | Refusal> {
  const mixed = new EvaluatedGroups(choice.mixed, choice);
  const positive = choice.positive === choice.mixed ? mixed : new EvaluatedGroups(choice.positive, choice);
  const tiers = tiersOf(choice);
  const refusal = shortOf(choice, mixed, tiers);
  if (refusal) return refusal;
  const errors: Refusal[] = [];
  let maxWeight = choice.maxWeight;
  for (const [place, tier] of tiers.entries()) {
    if (tier.mine === 0 || tier.theirs === 0) maxWeight = choice.maxChildWeight;
    const found = await attempt({ ...choice, maxWeight }, { mixed, positive }, tier, place > 0, { chance });
    if (!('error' in found)) return found;
    if (found.error !== '') errors.push(found);
  }
  return errors[0] ?? SHORT;
}

/** Returns an error if the groups that some tier accepts do not reach the target even all together; null if they do. */
function shortOf(
  { target, coins, maxAncestors, maxDescendants }: WasteChoice,
  { groups, effective }: EvaluatedGroups,
  tiers: readonly Tier[],
): Refusal | null {
  let total = coins.values.reduce((sum, value) => sum + value, 0);
  let chained = 0;
  for (let group = 0; group < groups.count; group++) {
    if (tiers.some((tier) => isEligible(groups, group, tier))) continue;
    total -= effective[group];
    if (groups.ancestors[group] >= maxAncestors || groups.descendants[group] >= maxDescendants) chained += effective[group];
  }
  if (total >= target) return null;
  return total + chained > target ? { error: CHAIN_TOO_LONG } : SHORT;
}

const isEligible = (groups: Groups, group: number, tier: Tier): boolean =>
  groups.depths[group] >= (groups.fromMe[group] === 1 ? tier.mine : tier.theirs) &&
  groups.ancestors[group] <= tier.ancestors &&
  groups.descendants[group] <= tier.descendants;

interface Tools {
  readonly chance: RandomSource;
}

/** Searches one tier: each address type separately, then all types together. */
async function attempt(
  choice: WasteChoice,
  pools: { readonly mixed: EvaluatedGroups; readonly positive: EvaluatedGroups },
  tier: Tier,
  mayMix: boolean,
  tools: Tools,
): Promise<Selection | Refusal> {
  const { types } = choice.coins;
  const byType = new Map<number, Candidates>();
  const all: Candidates = { mixed: [], positive: [] };
  for (const kind of ['mixed', 'positive'] as const) {
    const { groups, effective } = pools[kind];
    for (let group = 0; group < groups.count; group++) {
      if (!isEligible(groups, group, tier) || (kind === 'positive' && effective[group] <= 0)) continue;
      const type = types[groups.members[groups.starts[group]]];
      const candidates = byType.get(type) ?? { mixed: [], positive: [] };
      byType.set(type, candidates);
      candidates[kind].push(group);
      all[kind].push(group);
    }
  }
  const found: Selection[] = [];
  for (const type of [...byType.keys()].sort((a, b) => a - b)) {
    const answer = await search(choice, pools, byType.get(type)!, tools);
    if (!('error' in answer)) found.push(answer);
    else if (answer.error !== '') return answer;
  }
  if (found.length > 0) return leastOf(found);
  return mayMix && byType.size > 1 ? search(choice, pools, all, tools) : SHORT;
}

/** Returns the least wasteful selection; among equal ones, the one with more coins. */
const leastOf = (found: readonly Selection[]): Selection =>
  found.reduce((best, next) =>
    next.waste < best.waste || (next.waste === best.waste && next.coins.length > best.coins.length) ? next : best,
  );

/** Runs all searches over one set of groups. */
async function search(
  choice: WasteChoice,
  pools: { readonly mixed: EvaluatedGroups; readonly positive: EvaluatedGroups },
  candidates: Candidates,
  { chance }: Tools,
): Promise<Selection | Refusal> {
  const { target, maxWeight, changeFee, changeTarget, costOfChange } = choice;
  if (maxWeight <= 0) return { error: 'Maximum transaction weight is less than transaction weight without inputs' };
  const found: Selection[] = [];
  let heavy = false;
  let unsafe = false;
  const addResult = async (algorithm: Selection['algorithm'], kind: keyof Candidates, answer: Found): Promise<void> => {
    if (typeof answer === 'string') {
      if (answer === 'heavy') heavy = true;
      return;
    }
    const coins = answer.flatMap((at) => membersOf(pools[kind].groups, candidates[kind][at]));
    const selection = await evaluateSelection(choice, coins, algorithm);
    if (selection === null) unsafe = true;
    else found.push(selection);
  };
  const positive = pools.positive.columns(candidates.positive);
  // Do not search for a match without change if recipients pay the fee, because they could not get the excess back.
  if (!choice.recipientsPay) {
    await addResult('bnb', 'positive', branchAndBound({ ...positive, target, costOfChange, maxWeight, stopsAtNone: false }));
  }
  const withChange = maxWeight - choice.changeBytes * WITNESS_SCALE;
  if (withChange < 0 && found.length === 0) {
    return { error: 'Maximum transaction weight is too low, can not accommodate change output' };
  }
  const { effective: values, weights } = pools.mixed.columns(candidates.mixed);
  await addResult('knapsack', 'mixed', knapsack({ values, weights, target, minChange: changeTarget, maxWeight: withChange }, chance));
  if (choice.feeRate > HIGH_FEES * choice.longTermFeeRate) {
    await addResult('cg', 'positive', grindCoins(positive, target + changeTarget, withChange));
  }
  await addResult('srd', 'positive', drawCoins(positive, target + SMALLEST_CHANGE + changeFee, withChange, chance));
  if (unsafe) return { error: CLUSTER_TOO_LARGE };
  return found.length > 0 ? leastOf(found) : heavy ? { error: TOO_HEAVY } : SHORT;
}

/** Returns a selection with its waste; null if bump fees cannot be computed. */
async function evaluateSelection(
  choice: WasteChoice,
  coins: readonly number[],
  algorithm: Selection['algorithm'],
): Promise<Selection | null> {
  const { bumpFees, depths } = choice.coins;
  const pending = coins.filter((coin) => depths[coin] <= 0);
  const together = pending.length === 0 ? 0 : await choice.combinedBump(pending);
  if (together === null) return null;
  const bumpDiscount = Math.max(0, pending.reduce((sum, coin) => sum + bumpFees[coin], 0) - together);
  const added = addedBy(choice.coins, coins, choice) + (choice.recipientsPay ? 0 : bumpDiscount);
  const cost = coins.reduce((sum, coin) => sum + spendFee(choice.coins, coin, choice.feeRate) - quietFee(choice, coin), 0);
  const change = changeOf(choice, added, choice.target);
  const waste = cost - bumpDiscount + (change > 0 ? choice.costOfChange : added - choice.target);
  return { coins, bumpDiscount, waste, algorithm };
}

const quietFee = ({ coins, longTermFeeRate }: WasteChoice, coin: number): number =>
  feeForSize(longTermFeeRate, Math.max(0, coins.inputBytes[coin]), true);

/** Returns the effective value of coins. */
export const addedBy = (
  columns: CoinColumns,
  coins: readonly number[],
  { feeRate, recipientsPay }: Pick<WasteTerms, 'feeRate' | 'recipientsPay'>,
): number => coins.reduce((sum, coin) => sum + columns.values[coin] - (recipientsPay ? 0 : spendFee(columns, coin, feeRate)), 0);

/** Returns the change; 0 if it is not worth an output. */
export function changeOf(
  { recipientsPay, changeFee, smallestViable }: Pick<WasteTerms, 'recipientsPay' | 'changeFee' | 'smallestViable'>,
  added: number,
  target: number,
): number {
  const change = added - target - (recipientsPay ? 0 : changeFee);
  return change < smallestViable ? 0 : change;
}
