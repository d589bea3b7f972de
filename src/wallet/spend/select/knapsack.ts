// Chooses coins of at least an amount: exactly it, or enough above it that the change is worth having, as close as
// chance finds. Core 0.21: KnapsackSolver, ApproximateBestSubset.
import { descending, indices, randomOrder } from './order.js';
import type { Chance, Pace } from './pace.js';

/** Change below this is avoided where that is possible, satoshis. */
export const MIN_CHANGE = 1_000_000;

const ROUNDS = 1000;
/** Looks at coins in all rounds: wallets of many coins get fewer rounds, they find close matches soon. */
const MAX_LOOKS = 8_000_000;
const MIN_ROUNDS = 20;

/** @returns indices of the chosen values, null when all together are not enough */
export async function knapsack(values: Float64Array, target: number, chance: Chance, pace: Pace): Promise<number[] | null> {
  const order = await randomOrder(values.length, chance, pace);
  const lower: number[] = [];
  let lowerSum = 0;
  /** The smallest that is enough alone. */
  let larger = -1;
  for (let at = 0; at < order.length; at++) {
    if ((at & 1023) === 0 && pace.due) await pace.pause();
    const i = order[at];
    if (values[i] === target) return [i];
    if (values[i] < target + MIN_CHANGE) {
      lower.push(i);
      lowerSum += values[i];
    } else if (larger < 0 || values[i] < values[larger]) larger = i;
  }
  if (lowerSum === target) return lower;
  if (lowerSum < target) return larger < 0 ? null : [larger];

  const sums = new Float64Array(lower.length);
  for (let i = 0; i < sums.length; i++) sums[i] = values[lower[i]];
  const sorted = await descending(sums, pace);
  for (let i = 0; i < sums.length; i++) {
    sorted[i] = lower[sorted[i]];
    sums[i] = values[sorted[i]];
  }
  let best = await approach(sums, lowerSum, target, chance, pace);
  if (best.sum !== target && lowerSum >= target + MIN_CHANGE) best = await approach(sums, lowerSum, target + MIN_CHANGE, chance, pace);
  const poor = best.sum !== target && best.sum < target + MIN_CHANGE;
  if (larger >= 0 && (poor || values[larger] <= best.sum)) return [larger];
  return Array.from(best.chosen, (at) => sorted[at]);
}

/** The smallest sum not below the target that random subsets come to, each filled up in the order given. */
async function approach(
  values: Float64Array,
  total: number,
  target: number,
  chance: Chance,
  pace: Pace,
): Promise<{ chosen: Int32Array; sum: number }> {
  const count = values.length;
  let best = { chosen: indices(count), sum: total };
  const rounds = Math.max(MIN_ROUNDS, Math.min(ROUNDS, Math.floor(MAX_LOOKS / count)));
  const included = new Uint8Array(count);
  // What a round took, in the order it did: its best is a run of these and the coin that reached the target.
  const taken = new Int32Array(count + 1);
  for (let round = 0; round < rounds && best.sum !== target; round++) {
    included.fill(0);
    let sum = 0;
    let length = 0;
    let reached = false;
    let roundBest = best.sum;
    let bestLength = -1;
    let bestLast = -1;
    for (let pass = 0; pass < 2 && !reached; pass++) {
      for (let i = 0; i < count; i++) {
        if ((i & 1023) === 0 && pace.due) await pace.pause();
        if (pass === 0 ? !chance.coin() : included[i] === 1) continue;
        if (sum + values[i] < target) {
          sum += values[i];
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
