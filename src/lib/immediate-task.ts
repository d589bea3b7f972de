/** Runs a function in the next event-loop tick, once per tick however often it was scheduled. */
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
