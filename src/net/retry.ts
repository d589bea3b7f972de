// Runs an attempt again whenever it ends: for connections to programs that may not run yet, or may be restarted.

/** Wait before the next attempt. Grows by half each time, up to ten minutes. */
const FIRST_WAIT_MS = 1_000;
const WAIT_GROWTH = 1.5;
const LONGEST_WAIT_MS = 600_000;

export class Retry {
  readonly #attempt: (worked: () => void) => Promise<void>;
  #timer: NodeJS.Timeout | null = null;
  #waitMs = FIRST_WAIT_MS;
  #stopped = false;

  /** @param attempt resolves when its connection has ended, and never rejects; its argument `worked` resets the wait */
  constructor(attempt: (worked: () => void) => Promise<void>) {
    this.#attempt = attempt;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  start(): void {
    const worked = (): void => {
      this.#waitMs = FIRST_WAIT_MS;
    };
    void this.#attempt(worked).then(() => {
      if (this.#stopped) return;
      this.#timer = setTimeout(() => this.start(), this.#waitMs);
      this.#timer.unref();
      this.#waitMs = Math.min(this.#waitMs * WAIT_GROWTH, LONGEST_WAIT_MS);
    });
  }

  /** Prevents further attempts. The caller ends the current one. */
  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }
}
