// Limits the shares of a session before they are hashed. Vardiff raises the difficulty of a fast miner long before the
// quota is used up.

export class SubmitQuota {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #refilledMs: number;

  /** @param perSecond shares that may come all the time @param burst shares that may come at once */
  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#refilledMs = nowMs;
  }

  /** Takes one token. @returns false if there is none */
  takeToken(nowMs: number): boolean {
    const gained = (Math.max(0, nowMs - this.#refilledMs) * this.#perSecond) / 1000;
    this.#tokens = Math.min(this.#burst, this.#tokens + gained);
    this.#refilledMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
