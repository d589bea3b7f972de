// Keeps the coins cache from reading the database while the download engine changes coins there.

export class ReadGate {
  /** Resolves when the database may be read again; null if it may be read now. */
  #held: Promise<void> | null = null;
  readonly #reads = new Set<Promise<unknown>>();

  /** Runs a read, after the gate was opened. */
  async run<T>(read: () => Promise<T>): Promise<T> {
    while (this.#held !== null) await this.#held;
    const running = read();
    this.#reads.add(running);
    try {
      return await running;
    } finally {
      this.#reads.delete(running);
    }
  }

  /**
   * Makes later reads wait, and waits for those in progress.
   * @returns function that opens the gate
   */
  async close(): Promise<() => void> {
    let open = (): void => {};
    this.#held = new Promise((resolve) => {
      open = () => {
        this.#held = null;
        resolve();
      };
    });
    await Promise.allSettled([...this.#reads]);
    return open;
  }
}
