// Searches for the lightest inputs that pay an amount with change, for times of high fees. Depth first, largest coin
// first, with a limited number of steps. Among equal weights the smaller sum wins. Core: CoinGrinder.
import type { Failure, Found, GroupColumns } from './branch-and-bound.js';
import { descending } from './order.js';

const MAX_STEPS = 100_000;

/** Runs the search. Every group has a positive effective value. @param target amount including the desired change */
export function grindCoins({ effective, weights }: Pick<GroupColumns, 'effective' | 'weights'>, target: number, maxWeight: number): Found {
  const count = effective.length;
  const order = descending(effective, weights);
  /** For each position: sum of all coins after it (rest), and weight of the lightest one after it (lightest). */
  const rest = new Float64Array(count);
  const lightest = new Float64Array(count);
  let sum = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let at = count - 1; at >= 0; at--) {
    rest[at] = sum;
    lightest[at] = least;
    sum += effective[order[at]];
    least = Math.min(least, weights[order[at]]);
  }
  if (sum < target || count === 0) return 'short';

  const chosen: number[] = [];
  let best: number[] = [];
  let [amount, weight] = [0, 0];
  let [bestAmount, bestWeight] = [Number.POSITIVE_INFINITY, maxWeight];
  let failure: Failure = 'short';
  const drop = (): number => {
    const last = chosen.pop()!;
    amount -= effective[order[last]];
    weight -= weights[order[last]];
    return last;
  };
  let next = 0;
  for (let step = 0; step < MAX_STEPS; step++) {
    const tail = next++;
    const own = effective[order[tail]];
    amount += own;
    weight += weights[order[tail]];
    chosen.push(tail);
    /**
     * shift: leave out the last coin and continue. cut: also leave out the coin before it, because no coin after the
     * last one can improve the result.
     */
    let shift = true;
    let cut = false;
    const hopeless = (): boolean => weights[order[tail]] <= lightest[tail];
    if (amount + rest[tail] < target) cut = true;
    else if (weight > bestWeight) {
      if (weight > maxWeight) failure = 'heavy';
      cut = hopeless();
    } else if (amount >= target) {
      if (weight < bestWeight || amount < bestAmount) {
        best = [...chosen];
        bestWeight = weight;
        bestAmount = amount;
      }
    } else if (best.length > 0 && weight + lightest[tail] * Math.ceil((target - amount) / own) > bestWeight) cut = hopeless();
    else shift = false;
    if (cut || next === count) {
      drop();
      shift = true;
    }
    while (shift) {
      if (chosen.length === 0) return best.length > 0 ? best.map((at) => order[at]) : failure;
      next = drop() + 1;
      // Skip coins of the same value that are not lighter than the one just left out. They cannot be better.
      while (next < count && effective[order[next]] === effective[order[next - 1]]) next++;
      shift = next === count;
    }
  }
  return best.length > 0 ? best.map((at) => order[at]) : failure;
}
