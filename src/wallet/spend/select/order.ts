// Sorts indexes by a merge sort that yields. Sorting a wallet's 200,000 coins at once would block the thread for a
// tenth of a second.
import type { Pace, RandomSource } from './pace.js';

/** Number of indexes sorted without yielding, about 1 ms. */
const RUN = 2048;
const NO_TIES = new Float64Array(0);

/** Returns an array with the numbers 0 to count - 1. */
export function indices(count: number): Int32Array<ArrayBuffer> {
  const list = new Int32Array(count);
  for (let i = 0; i < count; i++) list[i] = i;
  return list;
}

/**
 * Returns the indexes of keys, largest key first. Equal keys are ordered by the smaller value in `ties`, then by index.
 */
export async function descending(keys: Float64Array, pace: Pace, ties: Float64Array = NO_TIES): Promise<Int32Array> {
  const compare = (a: number, b: number): number => keys[b] - keys[a] || (ties.length > 0 ? ties[a] - ties[b] : 0);
  let from = indices(keys.length);
  for (let start = 0; start < from.length; start += RUN) {
    from.subarray(start, start + RUN).sort((a, b) => compare(a, b) || a - b);
    if (pace.due) await pace.pause();
  }
  let to = new Int32Array(from.length);
  for (let width = RUN; width < from.length; width *= 2) {
    for (let start = 0; start < from.length; start += 2 * width) {
      const middle = Math.min(start + width, from.length);
      const end = Math.min(start + 2 * width, from.length);
      let left = start;
      let right = middle;
      for (let at = start; at < end; at++) {
        const takeLeft = left < middle && (right >= end || compare(from[left], from[right]) <= 0);
        to[at] = takeLeft ? from[left++] : from[right++];
        if ((at & (RUN - 1)) === 0 && pace.due) await pace.pause();
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

/**
 * Returns indexes in random order (Fisher-Yates), so that equal coins have equal chances and the order reveals nothing.
 */
export async function randomOrder(count: number, chance: RandomSource, pace: Pace): Promise<Int32Array> {
  const order = indices(count);
  for (let i = count - 1; i > 0; i--) {
    if ((i & (RUN - 1)) === 0 && pace.due) await pace.pause();
    const j = chance.below(i + 1);
    const other = order[i];
    order[i] = order[j];
    order[j] = other;
  }
  return order;
}
