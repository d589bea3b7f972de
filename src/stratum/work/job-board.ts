// The jobs that miners may return shares for: all of the tip, up to a bound, and those of the tip before for a minute.
import { type JobOptions, StratumJob } from './job.js';
import type { JobTemplate, JobTip } from './template.js';

/** How long a share of the tip before is still looked at: it is stale, but it may be a block. */
const PARENT_MS = 60_000;
/** Most jobs of one tip. At one job in 30 seconds the oldest is two hours old. */
const MOST_OF_A_TIP = 256;
/** Shortest time between two jobs that sessions ask for. */
const FRESH_MS = 1000;

/** A tip with the node's time when it came. */
export interface BoardTip extends JobTip {
  /** The node's time, or minTime if that is later. Seconds since 1970. */
  readonly headerTimestamp: number;
}

/** The tip that work is for. */
interface Work {
  readonly tip: BoardTip;
  readonly cameMs: number;
  readonly template: JobTemplate;
}

export class JobBoard {
  readonly #options: JobOptions;
  readonly #jobs = new Map<string, StratumJob>();
  #lastNumber: number;
  #tipNumber = 0;
  #tipCameMs = 0;
  #freshMs = Number.NEGATIVE_INFINITY;
  #work: Work | null = null;
  /** The newest job; null while there is no work. */
  current: StratumJob | null = null;

  /** @param startSeconds since 1970: job numbers go on from it, so that ids of an earlier run mean nothing */
  constructor(options: JobOptions, startSeconds: number) {
    this.#options = options;
    this.#lastNumber = startSeconds >>> 0;
  }

  /** Starts on a new tip, or on the same one with another target. */
  newTip(tip: BoardTip, template: JobTemplate, nowMs: number): StratumJob {
    this.#leaveTip(nowMs);
    this.#work = { tip, cameMs: nowMs, template };
    return this.#add(nowMs);
  }

  /** Another template of the tip. @returns null if there is no tip */
  newTemplate(template: JobTemplate, nowMs: number): StratumJob | null {
    if (this.#work === null) return null;
    this.#work = { ...this.#work, template };
    return this.#add(nowMs);
  }

  /** The last template again, with the time of now. @returns null if there is no work */
  renew(nowMs: number): StratumJob | null {
    return this.#work === null ? null : this.#add(nowMs);
  }

  /** Withdraws all work. */
  hold(nowMs: number): void {
    this.#leaveTip(nowMs);
    this.#work = null;
  }

  /**
   * A job with a higher number than the caller's last one, for a new difficulty. Sessions share these jobs.
   * @returns null if there is no work, or if the caller must wait because one was made within the last second
   */
  freshJob(lastNumber: number, nowMs: number): StratumJob | null {
    if (this.current === null || isNewer(this.current.number, lastNumber)) return this.current;
    if (nowMs - this.#freshMs < FRESH_MS) return null;
    this.#freshMs = nowMs;
    return this.renew(nowMs);
  }

  /** A job by the id that miners return. @returns null if it is unknown, or not good any more */
  get(id: string, nowMs: number): StratumJob | null {
    const job = this.#jobs.get(id.toLowerCase()) ?? null;
    return job === null || this.isCurrent(job) || nowMs - this.#tipCameMs < PARENT_MS ? job : null;
  }

  /** True if a job is of the tip, so that its shares are not stale. */
  isCurrent(job: StratumJob): boolean {
    return this.#work !== null && job.tipNumber === this.#tipNumber;
  }

  /** The node's time, seconds since 1970: the clock of the tip's headerTimestamp, moved on. */
  nodeSeconds(nowMs: number): number {
    if (this.#work === null) return Math.floor(nowMs / 1000);
    const { tip, cameMs } = this.#work;
    return tip.headerTimestamp + Math.max(0, Math.floor((nowMs - cameMs) / 1000));
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** Jobs of the tip stay for a minute, those before it go. */
  #leaveTip(nowMs: number): void {
    for (const [id, job] of this.#jobs) if (job.tipNumber !== this.#tipNumber) this.#jobs.delete(id);
    this.#tipNumber++;
    this.#tipCameMs = nowMs;
    this.current = null;
  }

  #add(nowMs: number): StratumJob {
    const { tip, template } = this.#work as Work;
    this.#lastNumber = (this.#lastNumber + 1) >>> 0;
    const time = Math.max(tip.minTime, this.nodeSeconds(nowMs));
    const job = new StratumJob(this.#lastNumber, this.#tipNumber, time, tip, template, this.#options);
    this.#jobs.set(job.id, job);
    this.current = job;
    this.#prune();
    return job;
  }

  #prune(): void {
    if (this.#jobs.size <= MOST_OF_A_TIP) return;
    for (const id of this.#jobs.keys()) {
      this.#jobs.delete(id);
      if (this.#jobs.size <= MOST_OF_A_TIP) return;
    }
  }
}

/** Compares job numbers, which wrap at 2^32: true if `a` came after `b`. */
export function isNewer(a: number, b: number): boolean {
  return ((a - b) | 0) > 0;
}
