// Remembers the difficulties that a session has sent. A difficulty applies to the jobs sent after it. Once a lower one was
// sent, shares of older jobs need to meet only the lower one, because some miners switch at once.
import { isNewer } from '../work/job-board.js';

const MOST_CHANGES = 16;

export class SentDifficulties {
  /** Changes of the difficulty, oldest first. */
  readonly #changes: { readonly jobNumber: number; readonly difficulty: number }[] = [];

  /** Last difficulty sent; 0 before the first one. */
  get last(): number {
    return this.#changes.at(-1)?.difficulty ?? 0;
  }

  /** Records a difficulty that was sent before this job. */
  add(jobNumber: number, difficulty: number): void {
    this.#changes.push({ jobNumber, difficulty });
    if (this.#changes.length > MOST_CHANGES) this.#changes.shift();
  }

  /** Returns the difficulty that a share of this job has to meet, and for which it counts. */
  of(jobNumber: number): number {
    const { last } = this;
    for (let i = this.#changes.length - 1; i >= 0; i--) {
      const change = this.#changes[i];
      if (!isNewer(change.jobNumber, jobNumber) || i === 0) return Math.min(last, change.difficulty);
    }
    return last;
  }
}
