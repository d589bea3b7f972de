// Something that is begun again whenever it ends: connections to programs that may not run yet, or be restarted.

/** Until it is tried again: grows by half, up to ten minutes. */
const FIRST_WAIT_MS = 1_000;
const WAIT_GROWTH = 1.5;
const LONGEST_WAIT_MS = 600_000;

export class Retry {
  readonly #attempt: (worked: () => void) => Promise<void>;
  #timer: NodeJS.Timeout | null = null;
  #waitMs = FIRST_WAIT_MS;
  #stopped = false;

  /** @param attempt ends with what was begun, and never rejects; `worked` makes the next wait short again */
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

  /** There is no next time; the present one is the caller's to end. */
  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }
}
