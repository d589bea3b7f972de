// Runs many small pieces of work in order, one slice per tick: when a thousand parked calls are resumed, other events
// wait for one slice only.

/** Time, and a way to continue in the next tick. */
export interface SliceTimers {
  monotonicMs(): number;
  /** Calls `run` in the next event-loop tick, after events that have arrived meanwhile. */
  soon(run: () => void): void;
}

/** Length of a slice, which ends after the piece that exceeds it: about two hundred small replies. */
const SLICE_MS = 2;

export class SliceQueue {
  readonly #timers: SliceTimers;
  #waiting: (() => void)[] = [];
  #at = 0;
  #running = false;

  constructor(timers: SliceTimers) {
    this.#timers = timers;
  }

  /** Number of pieces that have not run yet. */
  get waiting(): number {
    return this.#waiting.length - this.#at;
  }

  /** Adds pieces. The first slice runs now, unless other pieces wait. */
  run(pieces: readonly (() => void)[]): void {
    for (const piece of pieces) this.#waiting.push(piece);
    if (!this.#running) this.#runSlice();
  }

  #runSlice = (): void => {
    this.#running = true;
    const end = this.#timers.monotonicMs() + SLICE_MS;
    try {
      while (this.#at < this.#waiting.length) {
        this.#waiting[this.#at++]();
        if (this.#timers.monotonicMs() >= end) break;
      }
    } finally {
      // Continue even after a piece threw, because the other pieces belong to other calls.
      if (this.#at < this.#waiting.length) this.#timers.soon(this.#runSlice);
      else {
        this.#waiting = [];
        this.#at = 0;
        this.#running = false;
      }
    }
  };
}
