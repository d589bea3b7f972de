// The jobs for which miners may submit shares: jobs of the tip, up to a limit, and for a minute the jobs of the
// previous tip.
import { type JobOptions, StratumJob } from './job.js';
import type { JobTemplate, JobTip } from './template.js';

/**
 * Milliseconds for which shares on the previous tip are still checked. Such a share is stale, but it may be a block.
 */
const PARENT_MS = 60_000;
/** Maximum number of jobs of one tip. At one job in 30 seconds the oldest is two hours old. */
const MOST_OF_A_TIP = 256;
/** Shortest time in milliseconds between two jobs that are made only because sessions need a new difficulty. */
const FRESH_MS = 1000;

/** A tip, with the node's time at which the tip arrived. */
export interface BoardTip extends JobTip {
  /** The node's time when the tip arrived, or minTime if that is later. Seconds since 1970. */
  readonly headerTimestamp: number;
}

/** The tip on which jobs build, with its template. */
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
  /** The newest job; null while there is no template. */
  current: StratumJob | null = null;

  /** @param startSeconds time since 1970 at which job numbers start, so that job ids of an earlier run are unknown */
  constructor(options: JobOptions, startSeconds: number) {
    this.#options = options;
    this.#lastNumber = startSeconds >>> 0;
  }

  /** Makes the first job on a new tip, or on the same tip with another target. */
  newTip(tip: BoardTip, template: JobTemplate, nowMs: number): StratumJob {
    this.#leaveTip(nowMs);
    this.#work = { tip, cameMs: nowMs, template };
    return this.#add(nowMs);
  }

  /** Makes a job from another template of the tip. @returns null if there is no tip */
  newTemplate(template: JobTemplate, nowMs: number): StratumJob | null {
    if (this.#work === null) return null;
    this.#work = { ...this.#work, template };
    return this.#add(nowMs);
  }

  /** Makes a job from the last template, with the present time. @returns null if there is no template */
  renew(nowMs: number): StratumJob | null {
    return this.#work === null ? null : this.#add(nowMs);
  }

  /** Removes all jobs and the template. */
  hold(nowMs: number): void {
    this.#leaveTip(nowMs);
    this.#work = null;
  }

  /**
   * Returns a job with a higher number than the caller's last job, for a new difficulty. Sessions share these jobs.
   * @returns null if there is no template, or if the caller must wait because a job was made within the last second
   */
  freshJob(lastNumber: number, nowMs: number): StratumJob | null {
    if (this.current === null || isNewer(this.current.number, lastNumber)) return this.current;
    if (nowMs - this.#freshMs < FRESH_MS) return null;
    this.#freshMs = nowMs;
    return this.renew(nowMs);
  }

  /** Returns a job by the id that miners submit. @returns null if the job is unknown or expired */
  get(id: string, nowMs: number): StratumJob | null {
    const job = this.#jobs.get(id.toLowerCase()) ?? null;
    return job === null || this.isCurrent(job) || nowMs - this.#tipCameMs < PARENT_MS ? job : null;
  }

  /** Returns true if a job builds on the tip, so that its shares are not stale. */
  isCurrent(job: StratumJob): boolean {
    return this.#work !== null && job.tipNumber === this.#tipNumber;
  }

  /** Returns the node's time, seconds since 1970: the tip's headerTimestamp plus the time since the tip arrived. */
  nodeSeconds(nowMs: number): number {
    if (this.#work === null) return Math.floor(nowMs / 1000);
    const { tip, cameMs } = this.#work;
    return tip.headerTimestamp + Math.max(0, Math.floor((nowMs - cameMs) / 1000));
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** Called before a new tip: keeps the jobs of the current tip for a minute, and removes those of earlier tips. */
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

/** Compares job numbers, which wrap at 2^32. @returns whether `a` is newer than `b` */
export function isNewer(a: number, b: number): boolean {
  return ((a - b) | 0) > 0;
}
