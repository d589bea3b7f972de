// What the rules ask of a block's place in the header tree. The chain's tree nodes implement it; tests use small
// models.

/** A header with its ancestors. Identity matters: version bits caches use the object itself as key. */
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
  /** Median of the times of this block and up to ten before it. */
  medianTimePast(): number;
  /** The block at that height on this one's branch; null when below 0 or above itself. */
  ancestor(height: number): HeaderContext | null;
}

/** Blocks whose times make the median. */
export const MEDIAN_TIME_SPAN = 11;

/**
 * Median of the times of `node` and its ten predecessors; with an even number near genesis the upper of the middle two.
 */
export function medianTimePast(node: Pick<HeaderContext, 'time' | 'prev'>): number {
  const times: number[] = [];
  for (let at: Pick<HeaderContext, 'time' | 'prev'> | null = node; at !== null && times.length < MEDIAN_TIME_SPAN; at = at.prev) {
    times.push(at.time);
  }
  times.sort((a, b) => a - b);
  return times[times.length >> 1];
}
