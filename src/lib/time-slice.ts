// Divides long work of a thread into time slices, so that blocks and calls run in between. During a pause other code
// may run: the caller must keep it from changing the data that the work reads, and from reading data that the work has
// changed in part. Decision 78 lists the divided work (docs/decisions/0078-time-slices.md).
import { workClock } from './work-clock.js';

/**
 * Milliseconds of work between two pauses. The chain has longer slices, so that a step of an ordinary block is not
 * divided.
 */
const SLICE_MS = { chain: 5, queued: 2 } as const;

// Callers that wait to continue. One of them is resumed per event-loop tick, so that a new event waits for one slice
// and not for one slice of each caller. Every thread has its own event loop and its own queue.
const queue: (() => void)[] = [];
let scheduled = false;

function resumeNext(): void {
  scheduled = true;
  setImmediate(() => {
    const next = queue.shift() as () => void;
    if (queue.length > 0) resumeNext();
    else scheduled = false;
    next();
  });
}

/** Resolves in the next event-loop tick. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when the caller is next in the queue of its thread's long work. */
export function yieldInQueue(): Promise<void> {
  return new Promise((resolve) => {
    queue.push(resolve);
    if (!scheduled) resumeNext();
  });
}

/** Yields to the event loop when the time of a slice is used up. */
export class TimeSlice {
  readonly #work: keyof typeof SLICE_MS;
  #since = workClock.now();

  /** @param work `chain` continues in the next tick, because miners and peers wait for blocks; other work queues */
  constructor(work: keyof typeof SLICE_MS = 'queued') {
    this.#work = work;
  }

  /** True if the time of the slice is used up. */
  get over(): boolean {
    return workClock.now() - this.#since >= SLICE_MS[this.#work];
  }

  /** Yields, and starts the next slice. */
  async next(): Promise<void> {
    await (this.#work === 'chain' ? yieldToLoop() : yieldInQueue());
    this.#since = workClock.now();
  }

  /**
   * Runs a generator that yields wherever it may be interrupted.
   * @param check called after each step; if it throws, the work ends
   * @returns the result of the generator
   */
  async run<T>(work: Generator<unknown, T>, check?: () => void): Promise<T> {
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
      check?.();
      if (this.over) await this.next();
    }
  }
}

/** Runs all steps of divided work at once. @returns the result of the generator */
export function runSteps<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as T;
  }
}
