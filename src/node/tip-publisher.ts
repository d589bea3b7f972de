// When clients of other threads learn of a new tip and get a template on it: at once, but in initial download, where
// thousands of tips follow each other, at intervals and of the last one. Where blocks leave and others follow
// (invalidateblock), they learn of the tip at which this ends: no miner gets work on a tip in between.

/** Milliseconds between two tips that are shown while more follow. */
const INTERVAL_MS = 100;

export class TipPublisher {
  #publishedMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  readonly #publish: () => void;
  readonly #nowMs: () => number;

  /** @param publish shows the present tip */
  constructor(publish: () => void, nowMs: () => number = () => performance.now()) {
    this.#publish = publish;
    this.#nowMs = nowMs;
  }

  /** The tip changed. @param moreFollows the next one is about to come @param rose blocks came, none only left */
  changed(moreFollows: boolean, rose: boolean): void {
    if (!moreFollows || (rose && this.#nowMs() - this.#publishedMs >= INTERVAL_MS)) this.#now();
    else if (this.#timer === null) {
      // In case what was to follow does not.
      this.#timer = setTimeout(() => this.#now(), INTERVAL_MS);
      this.#timer.unref();
    }
  }

  /** What was to follow does not: the tip stays. */
  publishPending(): void {
    if (this.#timer !== null) this.#now();
  }

  #now(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#publishedMs = this.#nowMs();
    this.#publish();
  }

  /** Nothing is shown any more. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
