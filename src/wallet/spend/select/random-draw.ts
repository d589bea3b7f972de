// Draws random coins until they are enough, so that a payment reveals little about the wallet. Core: SelectCoinsSRD.
import type { Failure, Found, GroupColumns } from './branch-and-bound.js';
import { descending, randomOrder } from './order.js';
import type { Pace, RandomSource } from './pace.js';

/** Runs the search. Every group has a positive effective value. @param target amount including the desired change */
export async function drawCoins(
  { effective, weights }: Pick<GroupColumns, 'effective' | 'weights'>,
  target: number,
  maxWeight: number,
  chance: RandomSource,
  pace: Pace,
): Promise<Found> {
  const order = await randomOrder(effective.length, chance, pace);
  /** Rank of each group by effective value. If the result is too heavy, the smallest group is dropped. */
  const ranks = new Int32Array(effective.length);
  (await descending(effective, pace, weights)).forEach((group, rank) => {
    ranks[group] = rank;
  });
  const drawn: number[] = [];
  let [amount, weight] = [0, 0];
  let failure: Failure = 'short';
  for (let at = 0; at < order.length; at++) {
    if ((at & 255) === 0 && pace.due) await pace.pause();
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
