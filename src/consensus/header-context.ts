// Interface through which consensus rules see the block tree. Nodes of the chain's tree implement it; tests use small
// models.

/**
 * A header with its ancestors. The same header must always be the same object, because caches of version bits use it as
 * key.
 */
export interface HeaderContext {
  readonly height: number;
  /** Seconds since 1970. */
  readonly time: number;
  readonly bits: number;
  /** Signed 32-bit. */
  readonly version: number;
  /** 32 bytes, internal order. */
  readonly hash: Uint8Array;
  readonly prev: HeaderContext | null;
  /** Returns the median time of this block and up to ten blocks before it, in seconds (BIP-0113). */
  medianTimePast(): number;
  /** Returns the block at a height on this branch; null below 0 or above this block. */
  ancestor(height: number): HeaderContext | null;
}

/** Number of blocks in the median time. */
const MEDIAN_TIME_SPAN = 11;
/** Times of which medianTimePast() takes the median. */
const sortedTimes = new Uint32Array(MEDIAN_TIME_SPAN);

/**
 * Returns the median time of `node` and its ten predecessors. Near genesis the number of blocks may be even; then the
 * upper of the two middle times counts.
 */
export function medianTimePast(node: Pick<HeaderContext, 'time' | 'prev'>): number {
  let count = 0;
  for (let at: Pick<HeaderContext, 'time' | 'prev'> | null = node; at !== null && count < MEDIAN_TIME_SPAN; at = at.prev) {
    const { time } = at;
    let place = count++;
    for (; place > 0 && sortedTimes[place - 1] > time; place--) sortedTimes[place] = sortedTimes[place - 1];
    sortedTimes[place] = time;
  }
  return sortedTimes[count >> 1];
}
