// How a node is asked to end: by the operator's signal, by the stop call, or by a fault.

export class NodeStop {
  readonly #begun = new AbortController();
  /** Resolves when something asks for the end: the stop call, or a fault (then with its error). */
  readonly requested: Promise<Error | undefined>;
  /** Asks for the end. The first call counts. */
  requestStop: (fault?: Error) => void = () => {};

  /** @param aborted fires when the operator wants the end, also before the start is over */
  constructor(aborted: AbortSignal) {
    this.requested = new Promise((resolve) => {
      this.requestStop = resolve;
    });
    if (aborted.aborted) this.beginStop();
    else aborted.addEventListener('abort', () => this.beginStop());
  }

  /** Fires when the end begins: long work stops at its next step. */
  get signal(): AbortSignal {
    return this.#begun.signal;
  }

  beginStop(): void {
    this.#begun.abort();
  }
}
