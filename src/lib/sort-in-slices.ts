// Sorts long lists in slices on a thread that must stay responsive: sorts short runs and merges them pairwise.
import type { Slicer } from './slicer.js';

/** Number of items that are sorted at once. */
const RUN = 512;
/** Number of items that are merged between two checks of the clock. */
const CHECK_EVERY = 256;

/** Sorts a list in slices. @returns a sorted copy; equal items keep their order */
export async function sortInSlices<T>(items: readonly T[], compare: (a: T, b: T) => number, slicer: Slicer): Promise<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += RUN) {
    runs.push(items.slice(from, from + RUN).sort(compare));
    if (slicer.due) await slicer.pause();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2)
      merged.push(i + 1 < runs.length ? await merge(runs[i], runs[i + 1], compare, slicer) : runs[i]);
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number, slicer: Slicer): Promise<T[]> {
  const out: T[] = [];
  for (let l = 0, r = 0; l < left.length || r < right.length; ) {
    out.push(r === right.length || (l < left.length && compare(left[l], right[r]) <= 0) ? left[l++] : right[r++]);
    if (out.length % CHECK_EVERY === 0 && slicer.due) await slicer.pause();
  }
  return out;
}
