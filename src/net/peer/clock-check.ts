// Whether this machine's clock is right, judged by those of our outbound peers: an attacker does not choose those. The
// only effect is a warning: blocks are judged by our own clock.

/** Newest peers that count, and how many are needed to say anything. */
const MAX_SAMPLES = 50;
const MIN_SAMPLES = 5;
/** Seconds the clocks of most may differ from ours before the operator is warned. */
const WARN_SECONDS = 10 * 60;

export class ClockCheck {
  readonly #offsets: number[] = [];
  #warning = '';
  readonly #warn: (text: string) => void;

  /** @param warn told of a clock that has become wrong */
  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  /** The median of how far peers are ahead of us, seconds; 0 while there are too few. */
  get offset(): number {
    if (this.#offsets.length < MIN_SAMPLES) return 0;
    return [...this.#offsets].sort((a, b) => a - b)[Math.floor(this.#offsets.length / 2)] as number;
  }

  /** What getnetworkinfo and others show under `warnings`; empty when all is well. */
  get warning(): string {
    return this.#warning;
  }

  /** A peer that we called told its time. @param offset seconds it is ahead of us */
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
