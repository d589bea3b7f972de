// One thing at a time: the order in which changes of the chain happen. Callers: Chain.

/** Runs jobs strictly one after the other, in the order of the calls. A failing job does not stop the next. */
export class SerialQueue {
  private tail: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /** Jobs running or waiting. */
  get size(): number {
    return this.waiting;
  }

  /** Runs the job once all earlier ones ended. @returns the job's own result or error */
  run<T>(job: () => Promise<T>): Promise<T> {
    this.waiting++;
    const result = this.tail.then(job).finally(() => {
      this.waiting--;
    });
    // The queue itself never rejects: an error belongs to whoever awaits the result.
    this.tail = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  /** Resolves when everything queued so far has ended. */
  async idle(): Promise<void> {
    await this.tail;
  }
}
