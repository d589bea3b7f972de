// Runs many small pieces of work in order, a slice of them in each turn of the loop: when a thousand parked calls are
// resumed at once, other events wait for one slice and not for all of them. Used by template-view.ts and
// long-polls.ts.

/** Time, and a way to go on in the next turn. */
export interface SliceTimers {
  monotonicMs(): number;
  /** Calls back in the next turn of the loop, after whatever has arrived meanwhile was looked at. */
  soon(run: () => void): void;
}

/** A slice lasts so long, and one piece more: some two hundred small replies. */
const SLICE_MS = 2;

export class SliceQueue {
  readonly #timers: SliceTimers;
  #waiting: (() => void)[] = [];
  #at = 0;
  #running = false;

  constructor(timers: SliceTimers) {
    this.#timers = timers;
  }

  /** Pieces that have not been run yet. */
  get waiting(): number {
    return this.#waiting.length - this.#at;
  }

  /** The first slice runs now, unless others are before it. */
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
      // Also after a piece that threw: the others belong to other calls.
      if (this.#at < this.#waiting.length) this.#timers.soon(this.#runSlice);
      else {
        this.#waiting = [];
        this.#at = 0;
        this.#running = false;
      }
    }
  };
}
