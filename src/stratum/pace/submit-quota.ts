// Limits the shares of a session before they are hashed. A share above the quota is not tested for a block. Vardiff
// raises the difficulty of a fast miner long before the quota is used up.

export class SubmitQuota {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #refilledMs: number;

  /** @param perSecond permanent rate of shares @param burst number of shares that may arrive at once */
  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#refilledMs = nowMs;
  }

  /** Takes the token for one share. @returns false if none is left, so that the share is refused */
  takeToken(nowMs: number): boolean {
    const gained = (Math.max(0, nowMs - this.#refilledMs) * this.#perSecond) / 1000;
    this.#tokens = Math.min(this.#burst, this.#tokens + gained);
    this.#refilledMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
