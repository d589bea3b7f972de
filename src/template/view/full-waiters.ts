// Calls that may not have the empty template of a new tip and wait for the full one: a client without a longpollid
// keeps what it gets for as long as half a minute. They go on when a full template is published, when the server stops,
// and when they have waited for MOST_MS. Used by template-view.ts.
import type { PollTimers } from './long-polls.js';
import type { SliceQueue } from './slice-queue.js';

/**
 * A full template is late for milliseconds, and on a busy machine for some hundred. DATUM gives up a call after 5 s,
 * others later: a call that ends without work is worse than the empty template.
 */
const MOST_MS = 3000;

/** A call that waits; told whether its time is over. */
export type FullWaiter = (late: boolean) => void;

export class FullWaiters {
  readonly #timers: PollTimers;
  readonly #slices: SliceQueue;
  /** With what cancels the timer of each. */
  readonly #waiting = new Map<FullWaiter, () => void>();

  constructor(timers: PollTimers, slices: SliceQueue) {
    this.#timers = timers;
    this.#slices = slices;
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(waiter: FullWaiter): void {
    const cancel = this.#timers.after(MOST_MS, () => {
      if (this.#waiting.delete(waiter)) waiter(true);
    });
    this.#waiting.set(waiter, cancel);
  }

  /** The client has gone. */
  remove(waiter: FullWaiter): void {
    this.#waiting.get(waiter)?.();
    this.#waiting.delete(waiter);
  }

  /** All go on, in order of arrival and in slices. */
  resumeAll(): void {
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const [, cancel] of all) cancel();
    this.#slices.run(
      all.map(
        ([waiter]) =>
          () =>
            waiter(false),
      ),
    );
  }
}
