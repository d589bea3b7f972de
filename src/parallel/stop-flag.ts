// A flag that stops work on other threads early. The caller that starts the work creates it; raised at most once.

/** A shared word: 0 continue, 1 stop. Workers read it between two units of work. */
export class StopFlag {
  readonly word = new Int32Array(new SharedArrayBuffer(4));
  readonly #listeners = new Set<() => void>();

  get raised(): boolean {
    return Atomics.load(this.word, 0) !== 0;
  }

  /** Stops the work. May be called repeatedly. */
  raise(): void {
    if (this.raised) return;
    Atomics.store(this.word, 0, 1);
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Calls back when the flag is raised, immediately if it already is. @returns a function that removes the listener */
  onRaise(listener: () => void): () => void {
    if (this.raised) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
