// Divides the chain's work on a block, which may have 100,000 outputs, into time slices, so that short calls run in
// between. No reader may see the state between two slices; each user of TimeSlice explains why none does.
import { workClock } from './work-clock.js';

/** Milliseconds of work between two event-loop ticks. A step of an ordinary block takes less. */
const SLICE_MS = 5;

/** Resolves in the next event-loop tick. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * A time slice of the chain's work. Unlike Slicer it does not queue behind other long work, because miners and peers
 * wait for blocks.
 */
export class TimeSlice {
  #since = workClock.now();

  /** True if the time of the slice is used up. */
  get over(): boolean {
    return workClock.now() - this.#since >= SLICE_MS;
  }

  /** Yields to the event loop, and starts the next slice. */
  async next(): Promise<void> {
    await yieldToLoop();
    this.#since = workClock.now();
  }

  /** Runs a generator that yields wherever it may be interrupted. @returns its result */
  async run<T>(work: Generator<unknown, T>): Promise<T> {
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
      if (this.over) await this.next();
    }
  }
}
