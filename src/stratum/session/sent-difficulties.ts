// Difficulties that a session's jobs were sent with. A difficulty belongs to the jobs after it; but once a lower one was
// sent, shares that meet only that are accepted for older jobs too, because some miners switch at once.
import { isNewer } from '../work/job-board.js';

const MOST_CHANGES = 16;

export class SentDifficulties {
  /** Oldest first. */
  readonly #changes: { readonly jobNumber: number; readonly difficulty: number }[] = [];

  /** The last difficulty sent; 0 before there was one. */
  get last(): number {
    return this.#changes.at(-1)?.difficulty ?? 0;
  }

  /** Notes a difficulty that was sent before this job. */
  add(jobNumber: number, difficulty: number): void {
    this.#changes.push({ jobNumber, difficulty });
    if (this.#changes.length > MOST_CHANGES) this.#changes.shift();
  }

  /** The difficulty that a share of this job has to meet, and counts for. */
  of(jobNumber: number): number {
    const { last } = this;
    for (let i = this.#changes.length - 1; i >= 0; i--) {
      const change = this.#changes[i];
      if (!isNewer(change.jobNumber, jobNumber) || i === 0) return Math.min(last, change.difficulty);
    }
    return last;
  }
}
