// One thing at a time, in the order of the calls: changes of the chain, writes of a file, tasks of a thread that keeps
// a state.

/** Runs jobs strictly one after the other, in the order of the calls. A failing job does not stop the next. */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();
  #size = 0;

  /** Jobs running or waiting. */
  get size(): number {
    return this.#size;
  }

  /** Runs the job once all earlier ones ended. @returns the job's own result or error */
  run<T>(job: () => Promise<T>): Promise<T> {
    return this.#append(this.#tail.then(job));
  }

  /** The same, but begins before it returns when nothing else is running. @param job must not throw by itself */
  runNow<T>(job: () => Promise<T>): Promise<T> {
    return this.#size > 0 ? this.run(job) : this.#append(job());
  }

  #append<T>(job: Promise<T>): Promise<T> {
    this.#size++;
    const result = job.finally(() => {
      this.#size--;
    });
    // The queue itself never rejects: the caller that awaits the result gets the error.
    this.#tail = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  /** Resolves when everything queued so far has ended. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}
