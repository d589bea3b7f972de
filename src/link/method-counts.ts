// Calls, errors, and latency by method, as numbers that add up over threads. Fronts count the calls that they answer,
// and regularly send the counts since the last report. The node thread counts all other calls. Metrics read the sum.

/** Upper bounds of the latency buckets in seconds. One more bucket holds longer latencies. */
export const LATENCY_BOUNDS_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120] as const;

export interface MethodCount {
  calls: number;
  errors: number;
  seconds: number;
  /** Calls per bucket, not cumulative; one more than there are bounds. */
  readonly buckets: number[];
}

/** Figures of all methods, of one thread or summed. */
export class MethodCounts {
  readonly byMethod = new Map<string, MethodCount>();

  /** Counts one call. */
  add(method: string, seconds: number, failed: boolean): void {
    const count = this.#of(method);
    count.calls++;
    if (failed) count.errors++;
    count.seconds += seconds;
    count.buckets[bucketOf(seconds)]++;
  }

  /** Adds the counts since the last report that another thread has sent. */
  merge(method: string, calls: number, errors: number, seconds: number, buckets: readonly number[]): void {
    const count = this.#of(method);
    count.calls += calls;
    count.errors += errors;
    count.seconds += seconds;
    for (let i = 0; i < count.buckets.length; i++) count.buckets[i] += buckets[i] ?? 0;
  }

  #of(method: string): MethodCount {
    let count = this.byMethod.get(method);
    if (!count) {
      count = { calls: 0, errors: 0, seconds: 0, buckets: new Array<number>(LATENCY_BOUNDS_SECONDS.length + 1).fill(0) };
      this.byMethod.set(method, count);
    }
    return count;
  }
}

function bucketOf(seconds: number): number {
  for (let i = 0; i < LATENCY_BOUNDS_SECONDS.length; i++) if (seconds <= LATENCY_BOUNDS_SECONDS[i]) return i;
  return LATENCY_BOUNDS_SECONDS.length;
}
