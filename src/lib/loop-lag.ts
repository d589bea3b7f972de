// Measures the delay of a thread's event loop. The histogram of perf_hooks misses a delay right after it was read and
// reset.

/**
 * Milliseconds between two samples. Every delay that is longer is noticed. Each sample wakes the thread: sampling every
 * 10 ms, the default of prom-client, took 1 % of a core on an idle node.
 */
export const LAG_STEP_MS = 50;

/** Measures the event loop of the thread that creates it. */
export class LoopLag {
  readonly #timer = setInterval(() => this.#sample(), LAG_STEP_MS).unref();
  #sampledMs = performance.now();
  #mostMs = 0;

  #sample(): void {
    const now = performance.now();
    this.#mostMs = Math.max(this.#mostMs, now - this.#sampledMs - LAG_STEP_MS);
    this.#sampledMs = now;
  }

  /** Returns the largest delay since the last call, in milliseconds. */
  mostMs(): number {
    const most = this.#mostMs;
    this.#mostMs = 0;
    return most;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
