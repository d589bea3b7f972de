// Compares this machine's clock with the clocks of outbound peers, which an attacker cannot choose. The only effect is a
// warning. Rules for block times use this machine's clock.

/** Maximum number of peers whose clocks are used (the most recent ones), and minimum number for a result. */
const MAX_SAMPLES = 50;
const MIN_SAMPLES = 5;
/** Difference in seconds of the median from the own clock above which the operator is warned. */
const WARN_SECONDS = 10 * 60;

export class ClockCheck {
  readonly #offsets: number[] = [];
  #warning = '';
  readonly #warn: (text: string) => void;

  /** @param warn logs a warning */
  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  /** Median of the seconds by which the peers' clocks are ahead; 0 while too few are known. */
  get offset(): number {
    if (this.#offsets.length < MIN_SAMPLES) return 0;
    return [...this.#offsets].sort((a, b) => a - b)[Math.floor(this.#offsets.length / 2)] as number;
  }

  /** Text for `warnings` of getnetworkinfo and others; empty if the clock is fine. */
  get warning(): string {
    return this.#warning;
  }

  /** Adds the clock of an outbound peer. @param offset seconds by which it is ahead */
  add(offset: number): void {
    this.#offsets.push(offset);
    if (this.#offsets.length > MAX_SAMPLES) this.#offsets.shift();
    const before = this.#warning;
    const minutes = Math.round(Math.abs(this.offset) / 60);
    const way = this.offset > 0 ? 'behind' : 'ahead of';
    this.#warning =
      Math.abs(this.offset) <= WARN_SECONDS
        ? ''
        : `The clock of this machine is some ${minutes} minutes ${way} those of its peers: check date and time, or valid blocks may be refused`;
    if (this.#warning !== '' && before === '') this.#warn(this.#warning);
  }
}
