// Calls that must not get the empty template of a new tip and wait for the full one, because a client without a
// longpollid uses its template for up to half a minute. They continue when a full template is published, when the
// server stops, or after MOST_MS.
import type { PollTimers } from './long-polls.js';
import type { SliceQueue } from './slice-queue.js';

/**
 * Longest wait for a full template. It usually takes some milliseconds, on a busy machine some hundred. DATUM gives up a
 * call after 5 s, other clients later. A call that fails is worse for a client than the empty template.
 */
const MOST_MS = 3000;

/** A waiting call, called with true if its time is over. */
export type FullWaiter = (late: boolean) => void;

export class FullWaiters {
  readonly #timers: PollTimers;
  readonly #slices: SliceQueue;
  /** Waiting calls, each with the function that cancels its timer. */
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

  /** Removes a call whose client disconnected. */
  remove(waiter: FullWaiter): void {
    this.#waiting.get(waiter)?.();
    this.#waiting.delete(waiter);
  }

  /** Continues all calls, in order of arrival and in slices. */
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
