// Requests to stop the node: by the operator's signal, by the stop call, or after a fault.

export class NodeStop {
  readonly #begun = new AbortController();
  /** Resolves when a stop is requested: by the stop call, or by a fault (with its error). */
  readonly requested: Promise<Error | undefined>;
  /** Requests a stop. Only the first call counts. */
  requestStop: (fault?: Error) => void = () => {};

  /** @param aborted fires when the operator requests a stop, even during the start */
  constructor(aborted: AbortSignal) {
    this.requested = new Promise((resolve) => {
      this.requestStop = resolve;
    });
    if (aborted.aborted) this.beginStop();
    else aborted.addEventListener('abort', () => this.beginStop());
  }

  /** Fires when the stop begins. Long work ends at its next step. */
  get signal(): AbortSignal {
    return this.#begun.signal;
  }

  beginStop(): void {
    this.#begun.abort();
  }
}
