// Chooses a session's difficulty so that it returns about `sharesPerMinute` shares. The hashrate is the work of the accepted
// shares over the time since the last choice. Vardiff chooses again
//
//   after 4 minutes, or as soon as the number of shares for 4 minutes has arrived
//   at once, if 8 shares arrived 8 times as fast as wanted, because a flood costs both sides
//   if 8 shares should have arrived and none has
//
// The difficulty changes only if it is off by a factor of two or more. It rises at most by a factor of 256 at once:
// shares that a proxy held back come all at once. Difficulties are powers of two.
import { LEAST_DIFFICULTY, powerOfTwo } from './difficulty.js';

const WINDOW_MINUTES = 4;
const FEW_SHARES = 8;
const FLOOD_FACTOR = 8;
const CHANGE_FACTOR = 2;
const MAX_RAISE = 256;
/** Number of shares assumed for a window without a share. The best estimate is below one. */
const NO_SHARE = 0.5;

/** Outcome of a check. `urgent`: the miner must switch at once. */
export type VardiffChange = 'none' | 'changed' | 'urgent';

export class Vardiff {
  readonly #sharesPerMinute: number;
  readonly #most: number;
  #floor = LEAST_DIFFICULTY;
  #difficulty = 1;
  #sinceMs = 0;
  #shares = 0;
  #work = 0;

  /** @param most highest difficulty */
  constructor(sharesPerMinute: number, most: number) {
    this.#sharesPerMinute = sharesPerMinute;
    this.#most = most;
  }

  /** Difficulty for the next job. */
  get difficulty(): number {
    return this.#difficulty;
  }

  /** Continues from another difficulty, within the bounds. */
  restart(difficulty: number, floor: number, nowMs: number): void {
    this.#floor = floor;
    this.#difficulty = this.#clamp(difficulty);
    this.#measureFrom(nowMs);
  }

  /** Counts an accepted share. @param difficulty that the share had to meet */
  onShare(difficulty: number): void {
    this.#shares++;
    this.#work += difficulty;
  }

  /** Changes the difficulty if one of the conditions at the top of this file is met. */
  check(nowMs: number): VardiffChange {
    const minutes = Math.max(1, nowMs - this.#sinceMs) / 60_000;
    const expected = minutes * this.#sharesPerMinute;
    const flood = this.#shares >= FEW_SHARES && this.#shares >= expected * FLOOD_FACTOR;
    const silent = this.#shares === 0 && expected >= FEW_SHARES;
    const due = minutes >= WINDOW_MINUTES || this.#shares >= WINDOW_MINUTES * this.#sharesPerMinute;
    if (!flood && !silent && !due) return 'none';
    const work = this.#shares === 0 ? NO_SHARE * this.#difficulty : this.#work;
    const before = this.#difficulty;
    const wanted = this.#clamp(Math.min(before * MAX_RAISE, powerOfTwo(work / expected)));
    this.#measureFrom(nowMs);
    if (wanted < before * CHANGE_FACTOR && wanted > before / CHANGE_FACTOR) return 'none';
    this.#difficulty = wanted;
    return flood && wanted > before ? 'urgent' : 'changed';
  }

  #measureFrom(nowMs: number): void {
    this.#sinceMs = nowMs;
    this.#shares = 0;
    this.#work = 0;
  }

  #clamp(difficulty: number): number {
    return Math.max(LEAST_DIFFICULTY, Math.min(this.#most, Math.max(this.#floor, difficulty)));
  }
}
