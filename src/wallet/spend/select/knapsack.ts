// Selects coins of at least an amount: an exact match, or enough above it that the change is worthwhile, as close as
// random attempts find. Core: KnapsackSolver, ApproximateBestSubset.
import type { Found } from './branch-and-bound.js';
import { descending, indices, randomOrder } from './order.js';
import type { RandomSource } from './random.js';

const ROUNDS = 1000;
/**
 * Limit for visited coins in all rounds. Wallets with many coins get fewer rounds, because with many coins close
 * matches are found soon.
 */
const MAX_STEPS = 8_000_000;
const MIN_ROUNDS = 20;

/** Coins and goal of a search. All amounts are in satoshis. */
export interface KnapsackSearch {
  readonly values: Float64Array;
  readonly weights: Float64Array;
  readonly target: number;
  /** Change below this is avoided if possible, satoshis. */
  readonly minChange: number;
  readonly maxWeight: number;
}

export function knapsack(search: KnapsackSearch, chance: RandomSource): Found {
  const { values, weights, target, minChange, maxWeight } = search;
  const order = randomOrder(values.length, chance);
  const lower: number[] = [];
  let lowerSum = 0;
  /** Index of the smallest coin that alone reaches the target with change; -1 if there is none. */
  let larger = -1;
  let heavy = false;
  for (let at = 0; at < order.length; at++) {
    const i = order[at];
    if (weights[i] > maxWeight) heavy = true;
    else if (values[i] === target) return [i];
    else if (values[i] < target + minChange) {
      lower.push(i);
      lowerSum += values[i];
    } else if (larger < 0 || values[i] < values[larger]) larger = i;
  }
  const fits = (chosen: readonly number[]): boolean => chosen.reduce((sum, i) => sum + weights[i], 0) <= maxWeight;
  if (lowerSum === target) {
    if (fits(lower)) return lower;
    heavy = true;
  }
  if (lowerSum < target) return larger >= 0 ? [larger] : heavy ? 'heavy' : 'short';

  const lowerValues = Float64Array.from(lower, (i) => values[i]);
  const sorted = descending(lowerValues).map((at) => lower[at]);
  const terms = {
    values: Float64Array.from(sorted, (i) => values[i]),
    weights: Float64Array.from(sorted, (i) => weights[i]),
    total: lowerSum,
    maxWeight,
  };
  let best = approach({ ...terms, target }, chance);
  if (best.sum !== target && lowerSum >= target + minChange) best = approach({ ...terms, target: target + minChange }, chance);
  const poor = best.sum !== target && best.sum < target + minChange;
  if (larger >= 0 && (poor || values[larger] <= best.sum)) return [larger];
  const chosen = Array.from(best.chosen, (at) => sorted[at]);
  if (fits(chosen)) return chosen;
  return larger >= 0 ? [larger] : 'heavy';
}

/**
 * Returns the smallest sum at or above the target that random subsets reach. If a subset does not reach the target, a
 * second pass adds its missing coins in the given order.
 */
function approach(
  { values, weights, total, target, maxWeight }: Omit<KnapsackSearch, 'minChange'> & { readonly total: number },
  chance: RandomSource,
): { chosen: Int32Array; sum: number } {
  const count = values.length;
  let best = { chosen: indices(count), sum: total };
  const rounds = Math.max(MIN_ROUNDS, Math.min(ROUNDS, Math.floor(MAX_STEPS / count)));
  const included = new Uint8Array(count);
  // Coins of a round in the order in which they were taken. The best result of a round is a prefix of this list plus
  // the coin that reached the target.
  const taken = new Int32Array(count + 1);
  for (let round = 0; round < rounds && best.sum !== target; round++) {
    included.fill(0);
    let sum = 0;
    let weight = 0;
    let length = 0;
    let reached = false;
    let roundBest = best.sum;
    let bestLength = -1;
    let bestLast = -1;
    for (let pass = 0; pass < 2 && !reached; pass++) {
      for (let i = 0; i < count; i++) {
        if (pass === 0 ? !chance.coin() : included[i] === 1) continue;
        if (sum + values[i] < target || weight + weights[i] > maxWeight) {
          sum += values[i];
          weight += weights[i];
          included[i] = 1;
          taken[length++] = i;
          continue;
        }
        reached = true;
        if (sum + values[i] >= roundBest) continue;
        roundBest = sum + values[i];
        bestLength = length;
        bestLast = i;
      }
    }
    if (bestLength < 0) continue;
    taken[bestLength] = bestLast;
    best = { chosen: taken.slice(0, bestLength + 1), sum: roundBest };
  }
  return best;
}
