// Counters and gauges of one thread in shared memory: that thread writes, the node thread reads them for /metrics
// without asking.

/** A view of a thread's counters. */
export class SharedCounters<Name extends string> {
  readonly buffer: SharedArrayBuffer;
  readonly #names: readonly Name[];
  readonly #words: Float64Array;
  readonly #index: Readonly<Record<Name, number>>;

  /** @param buffer of the other end's view; a new one without */
  constructor(names: readonly Name[], buffer: SharedArrayBuffer = new SharedArrayBuffer(names.length * 8)) {
    this.buffer = buffer;
    this.#names = names;
    this.#words = new Float64Array(buffer);
    this.#index = Object.fromEntries(names.map((name, i) => [name, i])) as Record<Name, number>;
  }

  /** Adds to a counter; only the owning thread does. */
  add(name: Name, amount = 1): void {
    this.#words[this.#index[name]] += amount;
  }

  /** Sets a gauge. */
  set(name: Name, value: number): void {
    this.#words[this.#index[name]] = value;
  }

  get(name: Name): number {
    return this.#words[this.#index[name]];
  }

  read(): Record<Name, number> {
    return Object.fromEntries(this.#names.map((name, i) => [name, this.#words[i]])) as Record<Name, number>;
  }
}
