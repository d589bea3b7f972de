// Runs listeners of events. Catches an exception of a listener, logs it with the listener's name, and counts it for
// /metrics. So the chain, the mempool and replies do not depend on listeners.

export class ListenerGuard {
  readonly #failures = new Map<string, number>();
  readonly #log: { error(message: string): void };

  constructor(log: { error(message: string): void }) {
    this.#log = log;
  }

  /** Number of failures by name of the listener; 0 for a listener that has not failed. */
  get failures(): ReadonlyMap<string, number> {
    return this.#failures;
  }

  /** Wraps a listener in a function that never throws. @param name for the log and the label of the metric */
  wrap<Args extends unknown[]>(name: string, listener: (...args: Args) => unknown): (...args: Args) => void {
    this.registerListener(name);
    return (...args) => void this.run(name, () => listener(...args));
  }

  /** Adds a listener to the metric with 0 failures. */
  registerListener(name: string): void {
    if (!this.#failures.has(name)) this.#failures.set(name, 0);
  }

  /**
   * Calls a listener. Also catches the rejection of the promise that the listener may return.
   * @returns false when the listener threw
   */
  run(name: string, call: () => unknown): boolean {
    try {
      const result = call();
      if (result instanceof Promise) result.catch((error: unknown) => this.failed(name, error));
      return true;
    } catch (error) {
      this.failed(name, error);
      return false;
    }
  }

  /** Counts a failure. Logs the first failure of a listener, the second, the fourth, the eighth, and so on. */
  failed(name: string, error: unknown): void {
    const count = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, count);
    if ((count & (count - 1)) !== 0) return;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const times = count === 1 ? '' : ` (${count} times since the start)`;
    this.#log.error(`The listener "${name}" failed${times}. The node continues; the listener did not process this event. ${text}`);
  }
}
