/** Runs something in the next turn of the event loop, once however often it was asked for. */
export class NextTurn {
  #asked = false;
  readonly #run: () => void;

  constructor(run: () => void) {
    this.#run = run;
  }

  ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    setImmediate(() => {
      this.#asked = false;
      this.#run();
    });
  }
}
