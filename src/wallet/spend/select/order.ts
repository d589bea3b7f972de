// Orders of indexes for coin selection.
import type { RandomSource } from './random.js';

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
export function descending(keys: Float64Array, ties: Float64Array = NO_TIES): Int32Array {
  const tie = ties.length > 0 ? (a: number, b: number): number => ties[a] - ties[b] : (): number => 0;
  return indices(keys.length).sort((a, b) => keys[b] - keys[a] || tie(a, b) || a - b);
}

/**
 * Returns indexes in random order (Fisher-Yates), so that equal coins have equal chances and the order reveals nothing.
 */
export function randomOrder(count: number, chance: RandomSource): Int32Array {
  const order = indices(count);
  for (let i = count - 1; i > 0; i--) {
    const j = chance.below(i + 1);
    const other = order[i];
    order[i] = order[j];
    order[j] = other;
  }
  return order;
}
