// Limits how many pieces of one kind of work run at once. Further pieces wait in the order of arrival.

export class Semaphore {
  readonly #permits: number;
  readonly #isShut: () => boolean;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /**
   * @param permits how many run at a time
   * @param isShut returns whether no work may start for now; after it changes to false, its owner calls retry()
   */
  constructor(permits: number, isShut: () => boolean = () => false) {
    this.#permits = permits;
    this.#isShut = isShut;
  }

  /** Runs the work when a permit is free. @returns the work's own result or error */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length === 0 && this.#isOpen) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.#running--;
      this.retry();
    }
  }

  /** Starts waiting work, as far as permits are free. */
  retry(): void {
    while (this.#waiting.length > 0 && this.#isOpen) {
      this.#running++;
      this.#waiting.shift()?.();
    }
  }

  get #isOpen(): boolean {
    return this.#running < this.#permits && !this.#isShut();
  }
}
