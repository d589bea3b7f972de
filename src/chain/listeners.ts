// Who hears of the chain's changes, in order of registration.

/** Callbacks with the same arguments. */
export class Listeners<Args extends unknown[]> {
  #list: ((...args: Args) => void)[] = [];

  /** @returns takes the listener off again */
  add(listener: (...args: Args) => void): () => void {
    this.#list = [...this.#list, listener];
    return () => {
      this.#list = this.#list.filter((other) => other !== listener);
    };
  }

  /** Calls all of them, even when one throws. @returns the first error, undefined without one */
  call(...args: Args): unknown {
    let first: unknown;
    for (const listener of this.#list) {
      try {
        listener(...args);
      } catch (error) {
        first ??= error ?? new Error('a listener threw nothing');
      }
    }
    return first;
  }
}
