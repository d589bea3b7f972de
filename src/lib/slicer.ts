// Long work on a thread that must stay responsive, in turns of a few milliseconds, so that blocks and calls get in
// between. The data worked on is pinned by the caller (a block's bytes, a list made before).
import { workClock } from './work-clock.js';

/** Milliseconds of work between turns. */
const SLICE_MS = 2;

// Queue of callers that wait to go on. One is resumed per turn of the event loop, so that new events wait for one slice
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

/**
 * Resolves in the caller's turn of the event loop; work without a Slicer waits in the same queue.
 */
export function yieldInQueue(): Promise<void> {
  return new Promise((resolve) => {
    line.push(resolve);
    if (!called) callNext();
  });
}

/** Gives the event loop a turn once a slice's time is used up. */
export class Slicer {
  readonly #yieldToUrgent: (() => unknown) | undefined;
  #since = workClock.now();

  /**
   * @param yieldToUrgent asked after each pause: a promise holds the work back until it is settled, for something more urgent
   */
  constructor(yieldToUrgent?: () => unknown) {
    this.#yieldToUrgent = yieldToUrgent;
  }

  /** Whether it is time to pause. */
  get due(): boolean {
    return workClock.now() - this.#since >= SLICE_MS;
  }

  /** Lets everything else that is ready run. */
  async pause(): Promise<void> {
    await yieldInQueue();
    await this.#yieldToUrgent?.();
    this.#since = workClock.now();
  }
}
