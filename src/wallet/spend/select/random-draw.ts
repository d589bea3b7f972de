// Draws random coins until they are enough, so that a payment reveals little about the wallet. Core: SelectCoinsSRD.
import type { Failure, Found, GroupColumns } from './branch-and-bound.js';
import { descending, randomOrder } from './order.js';
import type { RandomSource } from './random.js';

/** Runs the search. Every group has a positive effective value. @param target amount including the desired change */
export function drawCoins(
  { effective, weights }: Pick<GroupColumns, 'effective' | 'weights'>,
  target: number,
  maxWeight: number,
  chance: RandomSource,
): Found {
  const order = randomOrder(effective.length, chance);
  /** Rank of each group by effective value. If the result is too heavy, the smallest group is dropped. */
  const ranks = new Int32Array(effective.length);
  descending(effective, weights).forEach((group, rank) => {
    ranks[group] = rank;
  });
  const drawn: number[] = [];
  let [amount, weight] = [0, 0];
  let failure: Failure = 'short';
  for (let at = 0; at < order.length; at++) {
    const group = order[at];
    // Keep the drawn groups sorted by rank, the smallest last.
    let place = drawn.length;
    while (place > 0 && ranks[drawn[place - 1]] > ranks[group]) place--;
    drawn.splice(place, 0, group);
    amount += effective[group];
    weight += weights[group];
    while (weight > maxWeight) {
      failure = 'heavy';
      const smallest = drawn.pop()!;
      amount -= effective[smallest];
      weight -= weights[smallest];
    }
    if (amount >= target) return drawn;
  }
  return failure;
}
