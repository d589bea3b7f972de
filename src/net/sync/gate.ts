// Lets a few in at a time, in order of arrival. Callers: BlockServer and CompactRelay, for reads that cost a disk and memory.

export class Gate {
  #inside = 0;
  readonly #line: (() => void)[] = [];

  constructor(
    /** How many at a time. */
    private readonly most: number,
    /** Whether nobody may go in for now; whoever waits is let in by tick(). */
    private readonly shut: () => boolean,
  ) {}

  /** Runs work when there is room for it. */
  async through<T>(work: () => Promise<T>): Promise<T> {
    if (this.#line.length > 0 || this.#inside >= this.most || this.shut()) await new Promise<void>((resolve) => this.#line.push(resolve));
    else this.#inside++;
    try {
      return await work();
    } finally {
      this.#inside--;
      this.tick();
    }
  }

  /** Lets in who may go. */
  tick(): void {
    while (this.#line.length > 0 && this.#inside < this.most && !this.shut()) {
      this.#inside++;
      this.#line.shift()?.();
    }
  }
}
