// How far long work came, in the words every such line of the log uses: done, percent, speed, time left.

/** A rate and an estimate over work of a known amount. */
export class ProgressMeter {
  readonly #startMs: number;
  #reportedMs: number;
  readonly #startAt: number;
  readonly #nowMs: () => number;
  readonly #everyMs: number;

  /**
   * @param at amount done before this run, which does not count for the speed
   * @param everyMs least time between two reports
   */
  constructor(nowMs: () => number, at: number, everyMs: number) {
    this.#nowMs = nowMs;
    this.#everyMs = everyMs;
    this.#startMs = nowMs();
    this.#reportedMs = this.#startMs;
    this.#startAt = at;
  }

  /** Whether a report is due; asking counts as making it. */
  shouldReport(): boolean {
    const now = this.#nowMs();
    if (now - this.#reportedMs < this.#everyMs) return false;
    this.#reportedMs = now;
    return true;
  }

  /** Units done per second in this run. */
  rate(at: number): number {
    return ((at - this.#startAt) * 1000) / Math.max(1, this.#nowMs() - this.#startMs);
  }

  /** Seconds until `goal` at the speed of this run; null before any speed is known. */
  secondsLeft(at: number, goal: number): number | null {
    const rate = this.rate(at);
    return rate > 0 ? Math.max(0, goal - at) / rate : null;
  }
}

/** `37.2%`; nothing to do is all done. */
export const percentText = (at: number, goal: number): string => `${(goal <= 0 ? 100 : Math.min(100, (100 * at) / goal)).toFixed(1)}%`;

/** `42 s`, `12 min`, `3 h 05 min`; a dash when unknown. */
export function durationText(seconds: number | null): string {
  if (seconds === null) return '-';
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
