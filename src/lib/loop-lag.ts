// How late a thread's event loop is. The histogram of perf_hooks does not count what holds the loop up right after it
// was read and reset.

/**
 * Milliseconds between two looks. A loop that is held up for longer is always seen. Each look wakes the thread: every
 * 10 ms, as prom-client does unless told otherwise, took an idle node one percent of a core.
 */
export const LAG_STEP_MS = 50;

/** Looks at the loop of the thread that makes it. */
export class LoopLag {
  readonly #timer = setInterval(() => this.#sample(), LAG_STEP_MS).unref();
  #sampledMs = performance.now();
  #mostMs = 0;

  #sample(): void {
    const now = performance.now();
    this.#mostMs = Math.max(this.#mostMs, now - this.#sampledMs - LAG_STEP_MS);
    this.#sampledMs = now;
  }

  /** How many milliseconds it was late at most since the last call. */
  mostMs(): number {
    const most = this.#mostMs;
    this.#mostMs = 0;
    return most;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
