// A flag that ends work on other threads early. Made by the caller that starts the work, raised at most once.

/** One shared word: 0 go on, 1 stop. Workers read it between two units of work. */
export class StopFlag {
  readonly word = new Int32Array(new SharedArrayBuffer(4));
  readonly #listeners = new Set<() => void>();

  get raised(): boolean {
    return Atomics.load(this.word, 0) !== 0;
  }

  /** Ends the work. Raising twice changes nothing. */
  raise(): void {
    if (this.raised) return;
    Atomics.store(this.word, 0, 1);
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Calls back when raised, at once if it already is. @returns a function that takes the listener back */
  onRaise(listener: () => void): () => void {
    if (this.raised) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
