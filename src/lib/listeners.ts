// Listeners of an event, called in order of registration.
import type { ListenerGuard } from './listener-guard.js';

/** Listeners of one event. The guard runs each, so an exception cannot reach the caller or the next listeners. */
export class Listeners<Args extends unknown[]> {
  readonly #guard: ListenerGuard;
  #list: { readonly name: string; readonly listener: (...args: Args) => unknown }[] = [];

  constructor(guard: ListenerGuard) {
    this.#guard = guard;
  }

  /** @param name for the log and the metric of failures @returns a function that removes the listener */
  add(listener: (...args: Args) => unknown, name = 'unnamed'): () => void {
    const entry = { name, listener };
    this.#guard.registerListener(name);
    this.#list = [...this.#list, entry];
    return () => {
      this.#list = this.#list.filter((other) => other !== entry);
    };
  }

  /** Calls all listeners. */
  call(...args: Args): void {
    for (const { name, listener } of this.#list) this.#guard.run(name, () => listener(...args));
  }
}
