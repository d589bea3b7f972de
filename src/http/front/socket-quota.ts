// How many sockets a front may have open. What comes beyond is closed as it comes, and the log says so now and then.

/** That there are too many is said again after so long, ms. */
const WARN_EVERY_MS = 60_000;

export class SocketQuota {
  #open = 0;
  /** Open sockets that are about to be closed. */
  #refused = 0;
  /** When it was said last, by performance.now(). */
  #warnedMs = Number.NEGATIVE_INFINITY;
  readonly #most: number;
  readonly #warn: (text: string) => void;

  constructor(most: number, warn: (text: string) => void) {
    this.#most = most;
    this.#warn = warn;
  }

  /** A socket was opened. @returns whether it may stay; the caller closes it else, before any other is closed */
  opened(): boolean {
    if (++this.#open <= this.#most) return true;
    this.#refused++;
    const now = performance.now();
    if (now >= this.#warnedMs + WARN_EVERY_MS) {
      this.#warnedMs = now;
      const why = 'a share of half of what the system lets the process open: further ones are refused';
      const remedy = 'Raise the limit of open files (LimitNOFILE), or find out which client opens so many.';
      this.#warn(`there are ${this.#most} HTTP connections at one front, ${why}. ${remedy}`);
    }
    return false;
  }

  /** A socket was closed. @returns whether it was one that might stay */
  closed(): boolean {
    this.#open--;
    if (this.#refused === 0) return true;
    this.#refused--;
    return false;
  }
}
