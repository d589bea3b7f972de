// How a node is asked to end: by the operator's signal, by the stop call, or by a fault.

export class NodeStop {
  readonly #begun = new AbortController();
  /** Resolves when something asks for the end: the stop call, or a fault (then with its error). */
  readonly asked: Promise<Error | undefined>;
  /** Asks for the end. The first call counts. */
  ask: (fault?: Error) => void = () => {};

  /** @param aborted fires when the operator wants the end, also before the start is over */
  constructor(aborted: AbortSignal) {
    this.asked = new Promise((resolve) => {
      this.ask = resolve;
    });
    if (aborted.aborted) this.begin();
    else aborted.addEventListener('abort', () => this.begin());
  }

  /** Fires when the end begins: long work stops at its next step. */
  get signal(): AbortSignal {
    return this.#begun.signal;
  }

  begin(): void {
    this.#begun.abort();
  }
}
