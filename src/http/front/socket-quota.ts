// Limits the sockets of a front. A further socket is closed at once, and the log reports it once a minute.

/** Interval between two warnings. */
const WARN_EVERY_MS = 60_000;

export class SocketQuota {
  #open = 0;
  /** Open sockets that were refused and are about to be closed. */
  #refused = 0;
  /** Time of the last warning, by performance.now(). */
  #warnedMs = Number.NEGATIVE_INFINITY;
  readonly #most: number;
  readonly #warn: (text: string) => void;

  constructor(most: number, warn: (text: string) => void) {
    this.#most = most;
    this.#warn = warn;
  }

  /**
   * Counts a new socket.
   * @returns whether it may stay open; if not, the caller must close it before any other socket closes
   */
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

  /** Counts a closed socket. @returns false if opened() had refused the socket */
  closed(): boolean {
    this.#open--;
    if (this.#refused === 0) return true;
    this.#refused--;
    return false;
  }
}
