// Divides long work on a thread into slices of a few milliseconds, so that blocks and calls can run in between. The
// caller must make sure that the data does not change during a pause (a block's bytes, a list that was copied before).
import { workClock } from './work-clock.js';

/** Milliseconds of work between two pauses. */
const SLICE_MS = 2;

// Callers that wait to continue. One of them is resumed per event-loop tick, so that a new event waits for one slice
// and not for one slice of each caller. Every thread has its own event loop and its own queue.
const line: (() => void)[] = [];
let called = false;

function callNext(): void {
  called = true;
  setImmediate(() => {
    const next = line.shift() as () => void;
    if (line.length > 0) callNext();
    else called = false;
    next();
  });
}

/** Resolves when the caller is next in the queue. Work without a Slicer can wait here as well. */
export function yieldInQueue(): Promise<void> {
  return new Promise((resolve) => {
    line.push(resolve);
    if (!called) callNext();
  });
}

/** Yields to the event loop when the time of a slice is used up. */
export class Slicer {
  readonly #yieldToUrgent: (() => unknown) | undefined;
  #since = workClock.now();

  /**
   * @param yieldToUrgent called after each pause; if it returns a promise, the work continues only after that has
   *   settled, so that more urgent work goes first
   */
  constructor(yieldToUrgent?: () => unknown) {
    this.#yieldToUrgent = yieldToUrgent;
  }

  /** True if the time of the current slice is used up. */
  get due(): boolean {
    return workClock.now() - this.#since >= SLICE_MS;
  }

  /** Waits in the queue, and so lets everything else run that is ready. */
  async pause(): Promise<void> {
    await yieldInQueue();
    await this.#yieldToUrgent?.();
    this.#since = workClock.now();
  }
}
