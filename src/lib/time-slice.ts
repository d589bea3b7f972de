// A block may hold a hundred thousand outputs: the chain's work on them is cut into turns, so that short calls run in
// between. No reader may see the state between two turns; each user of this class states why none does.
import { workClock } from './work-clock.js';

/** Milliseconds of work between two turns of the event loop: all of a usual block's share of one step. */
const SLICE_MS = 5;

/** Lets the event loop serve everything that is due before going on. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Work of the chain in turns. Unlike Slicer's, it doesn't queue behind other long work: miners and peers wait for
 * blocks.
 */
export class TimeSlice {
  #since = workClock.now();

  /** Whether other work should get a turn. */
  get over(): boolean {
    return workClock.now() - this.#since >= SLICE_MS;
  }

  /** Lets the event loop serve what is due. */
  async next(): Promise<void> {
    await yieldToLoop();
    this.#since = workClock.now();
  }

  /** Runs work that stops wherever it may be interrupted. @returns what it returns */
  async run<T>(work: Generator<unknown, T>): Promise<T> {
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
      if (this.over) await this.next();
    }
  }
}
