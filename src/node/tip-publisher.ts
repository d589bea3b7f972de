// Decides when clients learn of a new tip and get a template for it. Usually a tip is published immediately. In the
// initial download, where thousands of tips follow each other, the newest tip is published at intervals. While
// invalidateblock disconnects blocks, only the final tip is published, so no miner gets work on a tip in between.

/** Interval in milliseconds between published tips while more follow. */
const INTERVAL_MS = 100;

export class TipPublisher {
  #publishedMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  readonly #publish: () => void;
  readonly #nowMs: () => number;

  /** @param publish publishes the current tip */
  constructor(publish: () => void, nowMs: () => number = () => performance.now()) {
    this.#publish = publish;
    this.#nowMs = nowMs;
  }

  /**
   * Called after a tip change.
   * @param moreFollows another change is about to follow
   * @param rose blocks were connected, not only disconnected
   */
  changed(moreFollows: boolean, rose: boolean): void {
    if (!moreFollows || (rose && this.#nowMs() - this.#publishedMs >= INTERVAL_MS)) this.#now();
    else if (this.#timer === null) {
      // Publish this tip later if the next change does not happen.
      this.#timer = setTimeout(() => this.#now(), INTERVAL_MS);
      this.#timer.unref();
    }
  }

  /** Called when the announced next change will not happen. Publishes the current tip. */
  publishPending(): void {
    if (this.#timer !== null) this.#now();
  }

  #now(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#publishedMs = this.#nowMs();
    this.#publish();
  }

  /** Stops publishing. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
