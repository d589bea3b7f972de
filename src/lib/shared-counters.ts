// Counters and gauges of one thread in shared memory. That thread writes them; the node thread reads them for /metrics
// without a message.

/** A view of a thread's counters. */
export class SharedCounters<Name extends string> {
  readonly buffer: SharedArrayBuffer;
  readonly #names: readonly Name[];
  readonly #words: Float64Array;
  readonly #index: Readonly<Record<Name, number>>;

  /** @param buffer of an existing view; default: a new one */
  constructor(names: readonly Name[], buffer: SharedArrayBuffer = new SharedArrayBuffer(names.length * 8)) {
    this.buffer = buffer;
    this.#names = names;
    this.#words = new Float64Array(buffer);
    this.#index = Object.fromEntries(names.map((name, i) => [name, i])) as Record<Name, number>;
  }

  /** Adds to a counter. Only the owning thread may call it. */
  add(name: Name, amount = 1): void {
    this.#words[this.#index[name]] += amount;
  }

  /** Sets a gauge. Only the owning thread may call it. */
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
