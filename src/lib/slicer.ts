// Long work on a thread that must stay responsive, in turns of a few milliseconds, so that blocks and calls get in
// between. The data worked on is pinned by the caller (a block's bytes, a list made before).
import { workClock } from './work-clock.js';

/** Milliseconds of work between turns. */
const SLICE_MS = 2;

// Whoever waits for a turn, one of them per turn of the event loop however many there are: what arrives meanwhile waits
// for one slice, not for one of everybody's. The event loop is the thread's, and so is this line.
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
 * The next turn of the event loop that belongs to the caller; those who work without a Slicer stand in the same line.
 */
export function nextInLine(): Promise<void> {
  return new Promise((resolve) => {
    line.push(resolve);
    if (!called) callNext();
  });
}

/** Gives the event loop a turn once a slice's time is used up. */
export class Slicer {
  readonly #breathe: (() => unknown) | undefined;
  #since = workClock.now();

  /**
   * @param breathe asked after each pause: a promise holds the work back until it is settled, for something more urgent
   */
  constructor(breathe?: () => unknown) {
    this.#breathe = breathe;
  }

  /** Whether it is time to pause. */
  get due(): boolean {
    return workClock.now() - this.#since >= SLICE_MS;
  }

  /** Lets everything else that is ready run. */
  async pause(): Promise<void> {
    await nextInLine();
    await this.#breathe?.();
    this.#since = workClock.now();
  }
}
