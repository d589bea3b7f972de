// Searches for coins that match an amount so closely that no change is needed, and among these for the least wasteful
// ones. Depth first, largest coin first, with a limited number of steps. Core: SelectCoinsBnB (Murch, "An Evaluation of
// Coin Selection Strategies").
import { descending } from './order.js';

const MAX_STEPS = 100_000;
/** Larger than any possible waste. */
const NO_WASTE_YET = 2_100_000_000_000_000;

/**
 * Reason why no coins were chosen. short: all coins together are too little. heavy: enough coins exceed the allowed
 * weight.
 */
export type Failure = 'short' | 'heavy';
/** Result of a search: indices of the chosen groups, or why there are none. */
export type Found = number[] | Failure;

/** Groups of coins as columns. All searches read coins in this form. */
export interface GroupColumns {
  /** Effective value: the value minus the fee for spending the group; the whole value if recipients pay the fee. */
  readonly effective: Float64Array;
  /** Fee for spending the group now. */
  readonly fees: Float64Array;
  /** Fee for spending the group at the long-term rate. */
  readonly longTermFees: Float64Array;
  readonly weights: Float64Array;
}

export interface ExactSearch extends GroupColumns {
  /** Amount to reach, including the fee of everything except inputs. */
  readonly target: number;
  /** Largest excess over the target: the cost of change now and later. */
  readonly costOfChange: number;
  readonly maxWeight: number;
  /** True if a match with zero waste ends the search (up to release 21), although negative waste is possible. */
  readonly stopsAtNone: boolean;
}

/** Runs the search. Every group has a positive effective value. */
export function branchAndBound(search: ExactSearch): Found {
  const { effective, fees, longTermFees, weights, target, costOfChange, maxWeight } = search;
  const count = effective.length;
  let available = effective.reduce((sum, value) => sum + value, 0);
  if (available < target || count === 0) return 'short';
  const wastes = fees.map((fee, i) => fee - longTermFees[i]);
  const order = descending(effective, wastes);
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
    let back = value + available < target || value > target + costOfChange || (waste > bestWaste && feesAreHigh);
    if (!back && weight > maxWeight) {
      failure = 'heavy';
      back = true;
    }
    if (!back && value >= target) {
      // More coins would only increase the excess.
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
      // If a coin of the same value and at most the same waste was just left out, taking this one cannot be better.
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
