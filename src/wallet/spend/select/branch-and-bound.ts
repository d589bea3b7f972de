// Searches for coins that match an amount so closely that no change is needed, and among those for the least wasteful.
// Depth first, largest coin first, in a bounded number of steps. Core: SelectCoinsBnB (Murch, "An Evaluation of Coin
// Selection Strategies").
import { descending } from './order.js';
import type { Pace } from './pace.js';

const MAX_STEPS = 100_000;
/** More than any waste there is. */
const NO_WASTE_YET = 2_100_000_000_000_000;

/** Why nothing was chosen: not enough, or enough only with more weight than allowed. */
export type Failure = 'short' | 'heavy';
/** Indices of the chosen groups. */
export type Found = number[] | Failure;

/** Groups as the searches see them, by column. */
export interface GroupColumns {
  /** What a group adds: after the fee for spending it, or all of it when recipients pay. */
  readonly effective: Float64Array;
  /** Fee for spending it now. */
  readonly fees: Float64Array;
  /** Fee for spending it some quiet day. */
  readonly longTermFees: Float64Array;
  readonly weights: Float64Array;
}

export interface ExactSearch extends GroupColumns {
  /** Amount to reach, the fee of everything but inputs in it. */
  readonly target: number;
  /** Above the target by no more than this: what change would cost now and later. */
  readonly costOfChange: number;
  readonly maxWeight: number;
  /** A match without any waste ends the search (up to release 21), though less than none may be found. */
  readonly stopsAtNone: boolean;
}

/** Every group adds something. */
export async function branchAndBound(search: ExactSearch, pace: Pace): Promise<Found> {
  const { effective, fees, longTermFees, weights, target, costOfChange, maxWeight } = search;
  const count = effective.length;
  let available = effective.reduce((sum, value) => sum + value, 0);
  if (available < target || count === 0) return 'short';
  const wastes = fees.map((fee, i) => fee - longTermFees[i]);
  const order = await descending(effective, pace, wastes);
  const feesAreHigh = wastes[order[0]] > 0;
  const taken = new Uint8Array(count);
  let depth = 0;
  let value = 0;
  let weight = 0;
  let waste = 0;
  let failure: Failure = 'short';
  let best: Uint8Array | null = null;
  let bestWaste = NO_WASTE_YET;
  for (let step = 0; step < MAX_STEPS; step++) {
    if ((step & 1023) === 0 && pace.due) await pace.pause();
    let back = value + available < target || value > target + costOfChange || (waste > bestWaste && feesAreHigh);
    if (!back && weight > maxWeight) {
      failure = 'heavy';
      back = true;
    }
    if (!back && value >= target) {
      // More coins after this one would only burn themselves.
      const total = waste + (value - target);
      if (total <= bestWaste) {
        best = taken.slice(0, depth);
        bestWaste = total;
        if (total === 0 && search.stopsAtNone) break;
      }
      back = true;
    }
    if (back) {
      while (depth > 0 && taken[depth - 1] === 0) available += effective[order[--depth]];
      if (depth === 0) break;
      const last = order[depth - 1];
      taken[depth - 1] = 0;
      value -= effective[last];
      weight -= weights[last];
      waste -= wastes[last];
    } else {
      const next = order[depth];
      available -= effective[next];
      // Nothing better comes of a coin than of its twin, which wastes no more and was just left out.
      const twin = depth > 0 && taken[depth - 1] === 0 && effective[next] === effective[order[depth - 1]];
      taken[depth++] = twin ? 0 : 1;
      if (!twin) {
        value += effective[next];
        weight += weights[next];
        waste += wastes[next];
      }
    }
  }
  if (best === null) return failure;
  const chosen: number[] = [];
  best.forEach((included, at) => {
    if (included === 1) chosen.push(order[at]);
  });
  return chosen;
}
