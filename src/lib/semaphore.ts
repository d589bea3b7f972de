// Bounds how much of one kind of work is under way: a few at a time, the others wait in the order of their arrival.

export class Semaphore {
  readonly #permits: number;
  readonly #isShut: () => boolean;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /**
   * @param permits how many run at a time
   * @param isShut whether nothing may begin for now, whatever is free; who makes it false calls retry()
   */
  constructor(permits: number, isShut: () => boolean = () => false) {
    this.#permits = permits;
    this.#isShut = isShut;
  }

  /** Runs the work when its turn has come. @returns the work's own result or error */
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

  /** Begins what waits and may begin. */
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
