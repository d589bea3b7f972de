// Decides when mode `live` builds: immediately for a new tip, immediately when enough new fees for a long poll have
// come in, otherwise a second after the last build if anything changed. For a new tip the first template has no
// transactions, if there are any, and is made in the tick of the tip change where possible. One build at a time;
// changes during a build are considered after it. Depends on counts and fees; the timers only keep builds apart. See
// docs/decisions/0039-empty-template-first.md.
import type { ImproveResult } from '../jobs/assemble-messages.js';

/** Actions that the schedule starts. */
export interface LiveWork {
  /** Builds and publishes a template. Does as much as possible before it returns. @returns false if the tip changed meanwhile */
  build(kind: 'empty' | 'full'): Promise<boolean>;
  /** Publishes the template without transactions immediately. @returns false if that is not possible without waiting */
  buildEmptyNow(): boolean;
  /** Improves orders of clusters while nothing else is due. */
  improve(): Promise<ImproveResult>;
  /** True if an empty template would omit transactions that are here or on their way. */
  hasTransactions(): boolean;
  /** False while clients cannot request templates. */
  wanted(): boolean;
  /** Called after a build failed. The schedule retries. */
  failed(error: Error): void;
  /** Calls `run` once after `ms` milliseconds. The returned function cancels the call. */
  after(ms: number, run: () => void): () => void;
  /** Milliseconds of a monotonic clock. */
  nowMs(): number;
}

export interface LiveTimes {
  readonly emptyFirst: boolean;
  /** Satoshis of new fees at which a build starts immediately. */
  readonly gainSats: number;
}

/** Time since the last build after which any change causes a build, however small the change is. */
const CALM_MS = 1000;
/** Least time between two builds for new fees, however high the fees are: a burst of transactions is included in one build. */
const PAUSE_MS = 100;
/** The pause is also that many times the last build, up to CALM_MS, so that a stream of fees uses a tenth of a core. */
const PAUSE_BUILDS = 9;
/** Pause between two idle tasks, so that the thread stays available for builds. */
const IDLE_MS = 8;

const CLOSED = 'the template service is closed';

export class LiveSchedule {
  readonly #times: LiveTimes;
  readonly #work: LiveWork;
  readonly #waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #newTip = true;
  /** True if the tip has its template without transactions. */
  #emptyOut = false;
  #changed = false;
  #best = false;
  #gain = 0;
  /** True if a call of beginNow is scheduled. */
  #checkScheduled = false;
  #running = false;
  #closed = false;
  /** Set after a build: `pausing` delays the next build for fees, `calming` any other. */
  #pausing = false;
  #calming = false;
  #cancel: (() => void)[] = [];
  /** Number of the current series of idle tasks. A build ends the series. */
  #idleRow = 0;

  constructor(times: LiveTimes, work: LiveWork) {
    this.#times = times;
    this.#work = work;
  }

  /** Called when the tip changed. Builds that take time start after the caller's tick, when the tip is published; see beginNow. */
  tipChanged(): void {
    this.#newTip = true;
    this.#emptyOut = false;
    if (!this.#closed && this.#times.emptyFirst && this.#asked) this.#emptyNow();
    this.#scheduleCheck();
  }

  /** Begins a build that is due, in the caller's tick. Called when the mempool matches the new tip. Never throws. */
  beginNow(): void {
    if (this.#running || this.#closed || !this.#isDue()) return;
    this.#running = true;
    void this.#run().finally(() => {
      this.#running = false;
      this.#scheduleCheck();
    });
  }

  /** Called when a transaction entered (with its fee) or left. */
  transactionsChanged(gainSats: number): void {
    this.#changed = true;
    this.#best = false;
    this.#gain += gainSats;
    this.#scheduleCheck();
  }

  /**
   * Resolves after the next publication, and builds even if no client requests templates. Rejects if the build fails,
   * or if the schedule is closed.
   */
  nextPublication(): Promise<void> {
    if (this.#closed) return Promise.reject(new Error(CLOSED));
    const done = new Promise<void>((resolve, reject) => this.#waiters.push({ resolve, reject }));
    this.#newTip = true;
    this.#scheduleCheck();
    return done;
  }

  /** True if every cluster is known to be in its optimal order. */
  get best(): boolean {
    return this.#best;
  }

  /** Builds the first template, before any request. */
  start(): void {
    this.#scheduleCheck();
  }

  /** Ends all builds. */
  close(): void {
    this.#closed = true;
    for (const cancel of this.#cancel.splice(0)) cancel();
    for (const { reject } of this.#waiters.splice(0)) reject(new Error(CLOSED));
  }

  /** Publishes the empty template if possible. Never throws, because the chain is being changed. The next build repeats a lasting error. */
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

  /** Builds after the caller's tick, because the caller may be in the middle of a change. */
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
            // The tip may have changed again meanwhile.
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
        // Retries after CALM_MS, whatever the error. A new tip then still counts as new.
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

  /** @param beganMs start of the build that has just ended */
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
   * Runs idle tasks after a build, until the next build or until nothing is left to improve. If they improve an order, a
   * new build follows.
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
    // An assembler that fails here also fails in the next build, which reports the error.
    void step().catch(() => {});
  }
}
