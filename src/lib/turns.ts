// A block may hold a hundred thousand outputs: what the chain does with each of them is cut into turns, so that whoever
// waits for something small goes in between. Nobody sees the state between two turns; each user says why. Whoever lets
// others go in between.
import { workClock } from './work-clock.js';

/** Milliseconds of work between two turns of the event loop: all of a usual block's share of one step. */
const TURN_MS = 5;

/** Lets the event loop serve everything that is due before going on. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Work of the chain in turns. Unlike Slicer's, it doesn't stand in line behind other long work: everybody waits for
 * blocks.
 */
export class Turns {
  #since = workClock.now();

  /** Whether others should get a turn. */
  get over(): boolean {
    return workClock.now() - this.#since >= TURN_MS;
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
