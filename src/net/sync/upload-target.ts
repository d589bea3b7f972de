// -maxuploadtarget: bytes that may be sent in a day, of which some are reserved for new blocks (Core's OutboundTargetReached).
const DAY_SECONDS = 24 * 60 * 60;
const MAX_BLOCK_BYTES = 4_000_000;

export class UploadTarget {
  #since = 0;
  #sent = 0;
  readonly #nowSeconds: () => number;
  readonly #blockSeconds: number;

  constructor(
    /** Bytes per day; 0: no limit. */
    readonly bytes: number,
    nowSeconds: () => number,
    blockSeconds: number,
  ) {
    this.#nowSeconds = nowSeconds;
    this.#blockSeconds = blockSeconds;
  }

  addSent(bytes: number): void {
    const now = this.#nowSeconds();
    if (this.#since + DAY_SECONDS < now) {
      this.#since = now;
      this.#sent = 0;
    }
    this.#sent += bytes;
  }

  /** True if old blocks must wait, because the rest of the target is reserved for the new blocks of this day. */
  get historicalReached(): boolean {
    if (this.bytes === 0) return false;
    const buffer = Math.floor(this.secondsLeft / this.#blockSeconds) * MAX_BLOCK_BYTES;
    return buffer >= this.bytes || this.#sent >= this.bytes - buffer;
  }
  get reached(): boolean {
    return this.bytes > 0 && this.#sent >= this.bytes;
  }
  get secondsLeft(): number {
    if (this.bytes === 0) return 0;
    if (this.#since === 0) return DAY_SECONDS;
    return Math.max(0, this.#since + DAY_SECONDS - this.#nowSeconds());
  }
  get bytesLeft(): number {
    return this.bytes === 0 ? 0 : Math.max(0, this.bytes - this.#sent);
  }
}
