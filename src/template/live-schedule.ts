// When mode `live` builds: at once for a new tip (first without transactions, if there are any to wait for: in the very
// turn of the tip where that can be), at once when fees worth a long poll have gathered, otherwise a second after the
// last build if anything changed. One build at a time; what happens during a build is looked at after it. Decides by
// counts and fees; the timers only space builds out. Used by service.ts.
import type { ImproveResult } from '../jobs/assemble-messages.js';

/** What the schedule sets in motion. */
export interface LiveWork {
  /** Builds and publishes; begins before it returns, as far as it can. @returns false when the tip moved meanwhile */
  build(kind: 'empty' | 'full'): Promise<boolean>;
  /** Publishes the template without transactions on the spot. @returns false when that can't be done without waiting */
  buildEmptyNow(): boolean;
  /** Uses an idle moment for better orders. */
  improve(): Promise<ImproveResult>;
  /** Whether there are transactions that an empty template would leave out, or will be. */
  hasTransactions(): boolean;
  /** False while clients cannot ask for templates. */
  wanted(): boolean;
  /** A build failed; the schedule tries again. */
  failed(error: Error): void;
  /** Calls back once after so many milliseconds; the result cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Milliseconds of a clock that only goes forward. */
  nowMs(): number;
}

export interface LiveTimes {
  readonly emptyFirst: boolean;
  /** Satoshis of new fees that are built at once. */
  readonly gainSats: number;
}

/** A change too small to hurry for is in a template after so long. */
const CALM_MS = 1000;
/** Between two builds for gains, however large: a burst is taken in one. */
const PAUSE_MS = 100;
/** And as many times as long as the last build took, up to the calm: a stream of gains takes a tenth of a core. */
const PAUSE_BUILDS = 9;
/** Between two idle tasks, so that the thread stays free for builds. */
const IDLE_MS = 8;

const CLOSED = 'the template service is closed';

export class LiveSchedule {
  readonly #times: LiveTimes;
  readonly #work: LiveWork;
  readonly #waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #newTip = true;
  /** The tip has its template without transactions. */
  #emptyOut = false;
  #changed = false;
  #best = false;
  #gain = 0;
  /** beginNow is about to be called. */
  #checkScheduled = false;
  #running = false;
  #closed = false;
  /** A build came a moment ago: the next for a gain waits for the pause, others for the calm. */
  #pausing = false;
  #calming = false;
  #cancel: (() => void)[] = [];
  /** Number of the current row of idle tasks; a build ends it. */
  #idleRow = 0;

  constructor(times: LiveTimes, work: LiveWork) {
    this.#times = times;
    this.#work = work;
  }

  /** The tip moved. What takes time is built after the caller's turn, when the tip is published; see beginNow. */
  tipChanged(): void {
    this.#newTip = true;
    this.#emptyOut = false;
    if (!this.#closed && this.#times.emptyFirst && this.#asked) this.#emptyNow();
    this.#scheduleCheck();
  }

  /** The transactions fit the new tip: what is due is begun in the caller's turn. Never throws. */
  beginNow(): void {
    if (this.#running || this.#closed || !this.#isDue()) return;
    this.#running = true;
    void this.#run().finally(() => {
      this.#running = false;
      this.#scheduleCheck();
    });
  }

  /** A transaction came (with its fee) or left. */
  transactionsChanged(gainSats: number): void {
    this.#changed = true;
    this.#best = false;
    this.#gain += gainSats;
    this.#scheduleCheck();
  }

  /**
   * Resolves after the next publication; builds even if not wanted before. Rejects when the build fails, and when
   * nothing is built any more.
   */
  nextPublication(): Promise<void> {
    if (this.#closed) return Promise.reject(new Error(CLOSED));
    const done = new Promise<void>((resolve, reject) => this.#waiters.push({ resolve, reject }));
    this.#newTip = true;
    this.#scheduleCheck();
    return done;
  }

  /** Whether every cluster is known to be in the best order there is. */
  get best(): boolean {
    return this.#best;
  }

  /** Begins: the first template is made before any request. */
  start(): void {
    this.#scheduleCheck();
  }

  /** No more builds. */
  close(): void {
    this.#closed = true;
    for (const cancel of this.#cancel.splice(0)) cancel();
    for (const { reject } of this.#waiters.splice(0)) reject(new Error(CLOSED));
  }

  /**
   * Never throws: the chain is in the middle of its change. What went wrong goes wrong again in the build that follows,
   * if it matters.
   */
  #emptyNow(): void {
    try {
      this.#emptyOut = this.#work.buildEmptyNow();
    } catch (error) {
      this.#work.failed(error as Error);
    }
    if (this.#emptyOut) this.#resolveWaiters();
  }

  get #asked(): boolean {
    return this.#work.wanted() || this.#waiters.length > 0;
  }

  #isDue(): boolean {
    if (this.#newTip) return this.#asked;
    if (!this.#changed || this.#pausing) return false;
    return this.#gain >= this.#times.gainSats || !this.#calming;
  }

  /** After the caller's turn, who may be in the middle of a change. */
  #scheduleCheck(): void {
    if (this.#checkScheduled || this.#running || this.#closed || !this.#isDue()) return;
    this.#checkScheduled = true;
    queueMicrotask(() => {
      this.#checkScheduled = false;
      this.beginNow();
    });
  }

  async #run(): Promise<void> {
    while (!this.#closed && this.#isDue()) {
      const newTip = this.#newTip;
      const began = this.#work.nowMs();
      this.#newTip = false;
      this.#changed = false;
      this.#gain = 0;
      try {
        const emptyFirst = newTip && !this.#emptyOut && this.#times.emptyFirst && this.#work.hasTransactions();
        if (emptyFirst) {
          if (!(await this.#work.build('empty'))) this.#newTip = true;
          else {
            // Unless the tip has moved again since.
            if (!this.#newTip) this.#emptyOut = true;
            this.#resolveWaiters();
          }
        }
        if (this.#newTip || this.#closed) continue;
        if (await this.#work.build('full')) this.#resolveWaiters();
        else this.#newTip = true;
      } catch (error) {
        this.#work.failed(error as Error);
        for (const { reject } of this.#waiters.splice(0)) reject(error as Error);
        // Whatever it was, it is tried again when the calm is over; a new tip then still counts as one.
        this.#pauseAfterBuild(began);
        this.#later(CALM_MS, () => {
          this.#newTip ||= newTip;
          this.#changed = true;
        });
        return;
      }
      this.#pauseAfterBuild(began);
    }
    this.#improve();
  }

  /** @param beganMs when the build began that is over now */
  #pauseAfterBuild(beganMs: number): void {
    for (const cancel of this.#cancel.splice(0)) cancel();
    this.#idleRow++;
    this.#pausing = true;
    this.#calming = true;
    const tookMs = this.#work.nowMs() - beganMs;
    this.#later(Math.min(CALM_MS, Math.max(PAUSE_MS, PAUSE_BUILDS * tookMs)), () => {
      this.#pausing = false;
    });
    this.#later(CALM_MS, () => {
      this.#calming = false;
    });
  }

  #later(ms: number, run: () => void): void {
    this.#cancel.push(
      this.#work.after(ms, () => {
        run();
        this.#scheduleCheck();
      }),
    );
  }

  #resolveWaiters(): void {
    for (const { resolve } of this.#waiters.splice(0)) resolve();
  }

  /**
   * Idle tasks after a build, until the next or until there is nothing left to do; what they gained goes into a build
   * of its own.
   */
  #improve(): void {
    if (this.#closed) return;
    const row = ++this.#idleRow;
    const step = async (): Promise<void> => {
      const result = await this.#work.improve();
      if (row !== this.#idleRow || this.#closed) return;
      if (result === 'more') this.#cancel.push(this.#work.after(IDLE_MS, () => void step().catch(() => {})));
      else if (result === 'done') this.transactionsChanged(0);
      else this.#best = !this.#changed;
    };
    // An assembler that fails here fails in the next build too, which has words for it.
    void step().catch(() => {});
  }
}
