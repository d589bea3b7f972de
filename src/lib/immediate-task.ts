/** Runs something in the next turn of the event loop, once however often it was asked for. */
export class ImmediateTask {
  #scheduled = false;
  readonly #run: () => void;

  constructor(run: () => void) {
    this.#run = run;
  }

  schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#run();
    });
  }
}
