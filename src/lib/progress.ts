// Progress of long work, in the words that all such log lines use: done, percent, speed, time left.

/** Measures the speed of work whose total amount is known, and estimates the time that is left. */
export class ProgressMeter {
  readonly #startMs: number;
  #reportedMs: number;
  readonly #startAt: number;
  readonly #nowMs: () => number;
  readonly #everyMs: number;

  /**
   * @param at amount done before this run, not counted in the speed
   * @param everyMs shortest time between two reports
   */
  constructor(nowMs: () => number, at: number, everyMs: number) {
    this.#nowMs = nowMs;
    this.#everyMs = everyMs;
    this.#startMs = nowMs();
    this.#reportedMs = this.#startMs;
    this.#startAt = at;
  }

  /** Returns whether it is time for a report. A true result starts the next interval. */
  shouldReport(): boolean {
    const now = this.#nowMs();
    if (now - this.#reportedMs < this.#everyMs) return false;
    this.#reportedMs = now;
    return true;
  }

  /** Returns the units done per second in this run. @param at amount done so far */
  rate(at: number): number {
    return ((at - this.#startAt) * 1000) / Math.max(1, this.#nowMs() - this.#startMs);
  }

  /** Returns the seconds until `goal` at the speed of this run; null while the speed is 0. */
  secondsLeft(at: number, goal: number): number | null {
    const rate = this.rate(at);
    return rate > 0 ? Math.max(0, goal - at) / rate : null;
  }
}

/** Formats a percentage, such as `37.2%`. Without any work it is 100 %. */
export const percentText = (at: number, goal: number): string => `${(goal <= 0 ? 100 : Math.min(100, (100 * at) / goal)).toFixed(1)}%`;

/** Formats a duration, such as `42 s`, `12 min`, or `3 h 05 min`; a dash for null. */
export function durationText(seconds: number | null): string {
  if (seconds === null) return '-';
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
