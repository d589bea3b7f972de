// Figures of one worker: hashrate over five windows, best shares, shares by result.
//
// Each window keeps the sum of the work of its shares, and each share's part decays by exp(-age / window). A worker
// that has worked for `age` fills only 1 - exp(-age / window) of a window, so the sum is divided by this part. Otherwise
// the 7-day mean of a new worker would take weeks to come near the truth.
import { SHARE_RESULTS, type ShareRecord } from '../session/sink.js';

/** Lengths of the windows: 1, 5 and 60 minutes, 1 and 7 days. */
export const WINDOWS_MS = [60_000, 300_000, 3_600_000, 86_400_000, 604_800_000] as const;

const HASHES_PER_DIFFICULTY = 2 ** 32;
/** Smallest age of a worker for rates, so that a share in its first instant does not give an infinite rate. */
const LEAST_AGE_MS = 1000;

/** Values that are stored across restarts. */
export interface WorkerFigures {
  /** Time at which the worker was first seen, milliseconds since 1970. */
  readonly firstSeenMs: number;
  /** Time to which `sums` are decayed, milliseconds since 1970. */
  readonly decayedMs: number;
  /** Decayed work of each window, as difficulty. */
  readonly sums: readonly number[];
  /** Sum of the difficulties of all accepted shares. */
  readonly work: number;
  readonly bestEver: number;
  /** Time of the last share; 0 before the first one. */
  readonly lastShareMs: number;
  /** Numbers of shares by result, in the order of SHARE_RESULTS. */
  readonly shares: readonly number[];
  readonly blocks: number;
  /** User agent of the worker's last session. */
  readonly agent: string;
}

/** Totals of several workers. Best shares and the last share are those of the best and the latest worker. */
export interface Totals {
  /** Hashes per second over each of WINDOWS_MS. */
  readonly hashrates: number[];
  /** Numbers of shares, in the order of SHARE_RESULTS. */
  readonly shares: number[];
  work: number;
  blocks: number;
  bestEver: number;
  bestOfSession: number;
  lastShareMs: number;
}

/** Returns the figures of a worker that was never seen before. */
export const emptyFigures = (nowMs: number): WorkerFigures => ({
  firstSeenMs: nowMs,
  decayedMs: nowMs,
  sums: WINDOWS_MS.map(() => 0),
  work: 0,
  bestEver: 0,
  lastShareMs: 0,
  shares: SHARE_RESULTS.map(() => 0),
  blocks: 0,
  agent: '',
});

export class WorkerStatistics {
  readonly #firstSeenMs: number;
  readonly #sums: number[];
  readonly #shares: number[];
  #decayedMs: number;
  #work: number;
  #bestEver: number;
  #bestOfSession = 0;
  #difficulty = 0;
  #lastShareMs: number;
  #blocks: number;
  #agent: string;

  /** Continues from figures of an earlier run. */
  constructor(figures: WorkerFigures) {
    this.#firstSeenMs = figures.firstSeenMs;
    this.#decayedMs = figures.decayedMs;
    this.#sums = [...figures.sums];
    this.#work = figures.work;
    this.#bestEver = figures.bestEver;
    this.#lastShareMs = figures.lastShareMs;
    this.#shares = [...figures.shares];
    this.#blocks = figures.blocks;
    this.#agent = figures.agent;
  }

  /**
   * Starts a session of the worker, which resets the session's best share. Call this when the worker has no other
   * connection.
   */
  startSession(agent: string): void {
    this.#agent = agent;
    this.#bestOfSession = 0;
  }

  addShare({ result, difficulty, shareDifficulty, timeMs, block }: ShareRecord): void {
    this.#shares[SHARE_RESULTS.indexOf(result)]++;
    if (block && result !== 'duplicate') this.#blocks++;
    if (result !== 'accepted') return;
    this.#decay(timeMs);
    for (let i = 0; i < this.#sums.length; i++) this.#sums[i] += difficulty;
    this.#work += difficulty;
    this.#lastShareMs = timeMs;
    this.#difficulty = difficulty;
    this.#bestOfSession = Math.max(this.#bestOfSession, shareDifficulty);
    this.#bestEver = Math.max(this.#bestEver, shareDifficulty);
  }

  /** Returns hashes per second over each of WINDOWS_MS. */
  hashrates(nowMs: number): number[] {
    const rates = WINDOWS_MS.map(() => 0);
    this.#addRatesTo(rates, nowMs);
    return rates;
  }

  /** Adds the figures to totals. Allocates nothing, because totals are over thousands of workers. */
  addTo(totals: Totals, nowMs: number): void {
    this.#addRatesTo(totals.hashrates, nowMs);
    for (let i = 0; i < this.#shares.length; i++) totals.shares[i] += this.#shares[i];
    totals.work += this.#work;
    totals.blocks += this.#blocks;
    totals.bestEver = Math.max(totals.bestEver, this.#bestEver);
    totals.bestOfSession = Math.max(totals.bestOfSession, this.#bestOfSession);
    totals.lastShareMs = Math.max(totals.lastShareMs, this.#lastShareMs);
  }

  #addRatesTo(rates: number[], nowMs: number): void {
    const ageMs = Math.max(LEAST_AGE_MS, nowMs - this.#firstSeenMs);
    const sinceMs = Math.max(0, nowMs - this.#decayedMs);
    for (let i = 0; i < WINDOWS_MS.length; i++) {
      const windowMs = WINDOWS_MS[i];
      const work = this.#sums[i] * Math.exp(-sinceMs / windowMs);
      const seconds = (windowMs / 1000) * (1 - Math.exp(-ageMs / windowMs));
      rates[i] += (work * HASHES_PER_DIFFICULTY) / seconds;
    }
  }

  get bestOfSession(): number {
    return this.#bestOfSession;
  }
  /** Difficulty of the last accepted share; 0 if there was none since the start of the process. */
  get difficulty(): number {
    return this.#difficulty;
  }
  get lastShareMs(): number {
    return this.#lastShareMs;
  }

  /** Values for the database. */
  get figures(): WorkerFigures {
    return {
      firstSeenMs: this.#firstSeenMs,
      decayedMs: this.#decayedMs,
      sums: [...this.#sums],
      work: this.#work,
      bestEver: this.#bestEver,
      lastShareMs: this.#lastShareMs,
      shares: [...this.#shares],
      blocks: this.#blocks,
      agent: this.#agent,
    };
  }

  #decay(nowMs: number): void {
    const sinceMs = nowMs - this.#decayedMs;
    if (sinceMs <= 0) return;
    for (let i = 0; i < this.#sums.length; i++) this.#sums[i] *= Math.exp(-sinceMs / WINDOWS_MS[i]);
    this.#decayedMs = nowMs;
  }
}
