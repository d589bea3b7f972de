// Runs asynchronous jobs one at a time: changes of the chain, writes of a file, tasks of a thread that has state.

/** Runs jobs strictly one after the other, in the order of the calls. A failing job does not stop the next. */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();
  #size = 0;

  /** Number of jobs that run or wait. */
  get size(): number {
    return this.#size;
  }

  /** Runs the job after all earlier ones have ended. @returns the job's own result or error */
  run<T>(job: () => Promise<T>): Promise<T> {
    return this.#append(this.#tail.then(job));
  }

  /**
   * Runs the job like run(), but starts it before returning if no other job runs.
   * @param job must not throw synchronously
   */
  runNow<T>(job: () => Promise<T>): Promise<T> {
    return this.#size > 0 ? this.run(job) : this.#append(job());
  }

  #append<T>(job: Promise<T>): Promise<T> {
    this.#size++;
    const result = job.finally(() => {
      this.#size--;
    });
    // The queue itself never rejects. The caller that awaits the result gets the error.
    this.#tail = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  /** Resolves when all jobs that were queued so far have ended. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}
