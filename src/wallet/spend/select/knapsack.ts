// Chooses coins of at least an amount: exactly it, or enough above it that the change is worth having, as close as chance finds. Core
// 0.21: KnapsackSolver, ApproximateBestSubset.
import { descending, randomOrder } from './order.js';
import type { Chance, Pace } from './pace.js';

/** Change below this is avoided where that is possible, satoshis. */
export const MIN_CHANGE = 1_000_000;

const ROUNDS = 1000;
/** Looks at coins in all rounds: wallets of many coins get fewer rounds, they find close matches soon. */
const MAX_LOOKS = 20_000_000;
const MIN_ROUNDS = 50;

/** @returns indices of the chosen values, null when all together are not enough */
export async function knapsack(values: Float64Array, target: number, chance: Chance, pace: Pace): Promise<number[] | null> {
  const order = await randomOrder(values.length, chance, pace);
  const lower: number[] = [];
  let lowerSum = 0;
  /** The smallest that is enough alone. */
  let larger = -1;
  for (let at = 0; at < order.length; at++) {
    if ((at & 4095) === 0 && pace.due) await pace.pause();
    const i = order[at];
    if (values[i] === target) return [i];
    if (values[i] < target + MIN_CHANGE) {
      lower.push(i);
      lowerSum += values[i];
    } else if (larger < 0 || values[i] < values[larger]) larger = i;
  }
  if (lowerSum === target) return lower;
  if (lowerSum < target) return larger < 0 ? null : [larger];

  const unsorted = Float64Array.from(lower, (i) => values[i]);
  const sorted = Array.from(await descending(unsorted, pace), (at) => lower[at]);
  const sums = Float64Array.from(sorted, (i) => values[i]);
  let best = await approach(sums, lowerSum, target, chance, pace);
  if (best.sum !== target && lowerSum >= target + MIN_CHANGE) best = await approach(sums, lowerSum, target + MIN_CHANGE, chance, pace);
  const poor = best.sum !== target && best.sum < target + MIN_CHANGE;
  if (larger >= 0 && (poor || values[larger] <= best.sum)) return [larger];
  return sorted.filter((_, at) => best.included[at] === 1);
}

/** The smallest sum not below the target that random subsets come to, each filled up in the order given. */
async function approach(
  values: Float64Array,
  total: number,
  target: number,
  chance: Chance,
  pace: Pace,
): Promise<{ included: Uint8Array; sum: number }> {
  let best = { included: new Uint8Array(values.length).fill(1), sum: total };
  const rounds = Math.max(MIN_ROUNDS, Math.min(ROUNDS, Math.floor(MAX_LOOKS / values.length)));
  const included = new Uint8Array(values.length);
  for (let round = 0; round < rounds && best.sum !== target; round++) {
    included.fill(0);
    let sum = 0;
    let reached = false;
    for (let pass = 0; pass < 2 && !reached; pass++) {
      for (let i = 0; i < values.length; i++) {
        if ((i & 4095) === 0 && pace.due) await pace.pause();
        if (pass === 0 ? !chance.coin() : included[i] === 1) continue;
        sum += values[i];
        included[i] = 1;
        if (sum < target) continue;
        reached = true;
        if (sum < best.sum) best = { included: included.slice(), sum };
        sum -= values[i];
        included[i] = 0;
      }
    }
  }
  return best;
}
