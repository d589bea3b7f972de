// Histogram of the time from a block's acceptance by the node to the first byte that a client gets about it.

/** Upper bounds in seconds. */
export const FIRST_BYTE_BUCKETS = [0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.3, 1] as const;

/**
 * Names of the histogram's counters. `firstByte BOUND` counts times up to the bound and above the next lower bound.
 * Times above the highest bound are only in sum and count.
 */
export const FIRST_BYTE_NAMES = [
  'firstByteSum',
  'firstByteCount',
  ...FIRST_BYTE_BUCKETS.map((bound) => `firstByte ${bound}` as const),
] as const;

type FirstByteName = (typeof FIRST_BYTE_NAMES)[number];

/** Adds one time to the counters of a thread. */
export function countFirstByte(counters: { add(name: FirstByteName, amount?: number): void }, seconds: number): void {
  const bound = FIRST_BYTE_BUCKETS.find((limit) => seconds <= limit);
  if (bound !== undefined) counters.add(`firstByte ${bound}`);
  counters.add('firstByteSum', seconds);
  counters.add('firstByteCount');
}

export function firstByteHistogram(figures: Readonly<Record<FirstByteName, number>>) {
  const counts = FIRST_BYTE_BUCKETS.map((bound) => figures[`firstByte ${bound}`]);
  return { counts, sum: figures.firstByteSum, count: figures.firstByteCount };
}
