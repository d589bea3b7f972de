// Interface of the block tree for consensus rules. Nodes of the chain's tree implement it; tests use small models.

/**
 * A header with its ancestors. Each header must always be the same object, because caches of version bits use it as
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
  /** Returns the median time of this block and up to ten before it. */
  medianTimePast(): number;
  /** Returns the block at that height on this branch; null below 0 or above itself. */
  ancestor(height: number): HeaderContext | null;
}

/** Number of blocks in the median time. */
export const MEDIAN_TIME_SPAN = 11;

/**
 * Returns the median time of `node` and its ten predecessors. With an even number near genesis, the upper of the middle
 * two.
 */
export function medianTimePast(node: Pick<HeaderContext, 'time' | 'prev'>): number {
  const times: number[] = [];
  for (let at: Pick<HeaderContext, 'time' | 'prev'> | null = node; at !== null && times.length < MEDIAN_TIME_SPAN; at = at.prev) {
    times.push(at.time);
  }
  times.sort((a, b) => a - b);
  return times[times.length >> 1];
}
