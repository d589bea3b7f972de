// Searches for coins that match an amount so closely that no change is needed, and among those for the least wasteful.
// Depth first, largest coin first, in a bounded number of steps. Core 0.21: SelectCoinsBnB (Murch, "An Evaluation of
// Coin Selection Strategies").
import { descending } from './order.js';
import type { Pace } from './pace.js';

const MAX_STEPS = 100_000;
/** More than any waste there is. */
const NO_WASTE_YET = 2_100_000_000_000_000;

export interface ExactSearch {
  /** What a group adds after the fee for spending it; positive. */
  readonly effective: Float64Array;
  /** Fee for spending it now. */
  readonly fees: Float64Array;
  /** Fee for spending it some quiet day. */
  readonly longTermFees: Float64Array;
  /** Amount to reach, the fee of everything but inputs in it. */
  readonly target: number;
  /** Above the target by no more than this: what change would cost now and later. */
  readonly costOfChange: number;
}

/** @returns indices of the chosen groups, null when nothing matches */
export async function branchAndBound(search: ExactSearch, pace: Pace): Promise<number[] | null> {
  const { effective, fees, longTermFees, target, costOfChange } = search;
  const count = effective.length;
  let available = effective.reduce((sum, value) => sum + value, 0);
  if (available < target) return null;
  const order = await descending(effective, pace);
  const feesAreHigh = fees[order[0]] > longTermFees[order[0]];
  const taken = new Uint8Array(count);
  let depth = 0;
  let value = 0;
  let waste = 0;
  let best: Uint8Array | null = null;
  let bestWaste = NO_WASTE_YET;
  for (let step = 0; step < MAX_STEPS; step++) {
    if ((step & 1023) === 0 && pace.due) await pace.pause();
    let back = value + available < target || value > target + costOfChange || (waste > bestWaste && feesAreHigh);
    if (!back && value >= target) {
      // More coins after this one would only burn themselves.
      const total = waste + (value - target);
      if (total <= bestWaste) {
        best = taken.slice(0, depth);
        bestWaste = total;
        if (total === 0) break;
      }
      back = true;
    }
    if (back) {
      while (depth > 0 && taken[depth - 1] === 0) available += effective[order[--depth]];
      if (depth === 0) break;
      const last = order[depth - 1];
      taken[depth - 1] = 0;
      value -= effective[last];
      waste -= fees[last] - longTermFees[last];
    } else {
      const next = order[depth];
      available -= effective[next];
      // The twin of a coin just left out leads where that one led.
      const before = order[depth - 1];
      const twin = depth > 0 && taken[depth - 1] === 0 && effective[next] === effective[before] && fees[next] === fees[before];
      taken[depth++] = twin ? 0 : 1;
      if (!twin) {
        value += effective[next];
        waste += fees[next] - longTermFees[next];
      }
    }
  }
  if (best === null) return null;
  const chosen: number[] = [];
  best.forEach((included, at) => {
    if (included === 1) chosen.push(order[at]);
  });
  return chosen;
}
