// A fixed set of shared memory slabs for data that many fronts send at once: encoded templates. The node thread
// reserves a free slab, a worker fills it, and fronts lease it while they send. Reference counts are atomic; a slab is
// rewritten only when its count is 0. A new SharedArrayBuffer for each template would take gigabytes before the garbage
// collector runs.
//
// Control words, two int32 per slab: [count, use]
//   count  -1: being written; 0: free; n: n references, one of which is the publisher's
//   use    number of times that the slab was reserved, so that a late reader notices that its content is gone

/** Reference to published bytes; part of a template's facts. */
export interface SlabRef {
  readonly index: number;
  /** Value of the slab's use counter while these bytes are valid. */
  readonly use: number;
}

/** A slab that is reserved for writing. */
export interface WritableSlab extends SlabRef {
  readonly buffer: SharedArrayBuffer;
}

/** A slab's memory. The node thread sends it to fronts at the start and when it replaces a slab by a larger one. */
export interface SlabInfo {
  readonly index: number;
  readonly generation: number;
  readonly buffer: SharedArrayBuffer;
}

/** Figures for metrics. */
export interface SlabStats {
  readonly slabs: number;
  readonly busy: number;
  readonly bytes: number;
  readonly grown: number;
  readonly exhausted: number;
}

const SMALLEST_BYTES = 64 * 1024;
const WRITING = -1;
const RETRY_MS = 20;

/** The writing side, on the node thread. */
export class SlabRing {
  readonly control: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #slabs: SlabInfo[] = [];
  /** Slabs in the order of their publication, oldest first. Some of them may be free again. */
  #published: number[] = [];
  #current: SlabRef | null = null;
  readonly #waiting: (() => void)[] = [];
  #grown = 0;
  #exhausted = 0;
  /** Called with every slab that was replaced by a larger one, before it is used. */
  onGrow: (slab: SlabInfo) => void = () => {};
  /** Called when no slab is free, with the slab whose readers have been reading for the longest time. */
  onExhausted: (index: number) => void = () => {};

  constructor(count = 8) {
    this.control = new SharedArrayBuffer(count * 8);
    this.#words = new Int32Array(this.control);
    for (let index = 0; index < count; index++) {
      this.#slabs.push({ index, generation: 0, buffer: new SharedArrayBuffer(0) });
    }
  }

  /** Current slabs, for a front that starts. */
  get slabs(): readonly SlabInfo[] {
    return this.#slabs;
  }

  /**
   * Reserves a slab of at least `sizeBytes` for writing. Call publish() or discard() afterwards.
   * @returns null if all slabs are being read. onExhausted was called then; a slab becomes free when its slowest
   *   readers have been disconnected.
   */
  takeSlab(sizeBytes: number): WritableSlab | null {
    // Prefer slabs that are large enough, always in the same order. Then two or three slabs suffice as long as no reader
    // is slow.
    const index = this.#reserve(sizeBytes) ?? this.#reserve(0);
    if (index === undefined) {
      this.#exhausted++;
      // Skip the current slab, which has no slow readers yet.
      const oldest = this.#published.find((published) => published !== this.#current?.index);
      if (oldest !== undefined) this.onExhausted(oldest);
      return null;
    }
    this.#published = this.#published.filter((published) => published !== index);
    const use = (Atomics.add(this.#words, index * 2 + 1, 1) + 1) | 0;
    if (this.#slabs[index].buffer.byteLength < sizeBytes) this.#grow(index, sizeBytes);
    return { index, use, buffer: this.#slabs[index].buffer };
  }

  /** Marks the first free slab of at least `leastBytes` as being written. @returns its index */
  #reserve(leastBytes: number): number | undefined {
    return this.#slabs.find(
      ({ index, buffer }) => buffer.byteLength >= leastBytes && Atomics.compareExchange(this.#words, index * 2, 0, WRITING) === 0,
    )?.index;
  }

  /** Reserves a slab like takeSlab(), but waits for readers to finish if no slab is free. */
  takeSlabWhenFree(sizeBytes: number): WritableSlab | Promise<WritableSlab> {
    const slab = this.takeSlab(sizeBytes);
    if (slab !== null) return slab;
    return new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      // Retry by timer too, because readers that finish by themselves send no message.
      setTimeout(resolve, RETRY_MS);
    }).then(() => this.takeSlabWhenFree(sizeBytes));
  }

  /** Called after readers were disconnected. Callers that wait for a slab try again. */
  retryWaiting(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /**
   * Publishes a slab that was written: readers may lease it. The publisher's reference moves from the previously
   * published slab to this one. The previous slab becomes free when its last reader has finished. A second call for the
   * same slab does nothing.
   */
  publish(slab: SlabRef | { readonly index: number }): SlabRef {
    const { index } = slab;
    const use = Atomics.load(this.#words, index * 2 + 1);
    if (Atomics.compareExchange(this.#words, index * 2, WRITING, 1) !== WRITING) return { index, use };
    if (this.#current) Atomics.sub(this.#words, this.#current.index * 2, 1);
    this.#current = { index, use };
    this.#published.push(index);
    return this.#current;
  }

  /** Releases the leases of a thread that has ended. @param held counts of its leases; set to 0 */
  endLeases(held: SharedArrayBuffer): void {
    const counts = new Int32Array(held);
    for (const { index } of this.#slabs) Atomics.sub(this.#words, index * 2, Atomics.exchange(counts, index, 0));
    this.retryWaiting();
  }

  /** Frees a reserved slab without publishing it. */
  discard(slab: { readonly index: number }): void {
    Atomics.compareExchange(this.#words, slab.index * 2, WRITING, 0);
  }

  stats(): SlabStats {
    let busy = 0;
    let bytes = 0;
    for (const slab of this.#slabs) {
      if (Atomics.load(this.#words, slab.index * 2) !== 0) busy++;
      bytes += slab.buffer.byteLength;
    }
    return { slabs: this.#slabs.length, busy, bytes, grown: this.#grown, exhausted: this.#exhausted };
  }

  #grow(index: number, sizeBytes: number): void {
    let capacity = SMALLEST_BYTES;
    while (capacity < sizeBytes) capacity *= 2;
    const slab = { index, generation: this.#slabs[index].generation + 1, buffer: new SharedArrayBuffer(capacity) };
    this.#slabs[index] = slab;
    this.#grown++;
    this.onGrow(slab);
  }
}

/** The reading side, one per front. */
export class SlabReader {
  readonly #words: Int32Array;
  readonly #slabs: SlabInfo[];
  readonly #held: Int32Array;

  /** @param held counts the leases of this reader, one int32 per slab, for SlabRing.endLeases */
  constructor(control: SharedArrayBuffer, slabs: readonly SlabInfo[], held = new SharedArrayBuffer(slabs.length * 4)) {
    this.#words = new Int32Array(control);
    this.#slabs = [...slabs];
    this.#held = new Int32Array(held);
  }

  /** Replaces a slab by a newer one. Ignores older versions. */
  update(slab: SlabInfo): void {
    if (slab.generation > this.#slabs[slab.index].generation) this.#slabs[slab.index] = slab;
  }

  /**
   * Leases published bytes, so that they are not overwritten. Every lease must be released once.
   * @returns null if the bytes are gone
   */
  lease(ref: SlabRef): SharedArrayBuffer | null {
    for (;;) {
      const count = Atomics.load(this.#words, ref.index * 2);
      if (count <= 0) return null;
      if (Atomics.compareExchange(this.#words, ref.index * 2, count, count + 1) === count) break;
    }
    Atomics.add(this.#held, ref.index, 1);
    if (Atomics.load(this.#words, ref.index * 2 + 1) === ref.use) return this.#slabs[ref.index].buffer;
    this.release(ref);
    return null;
  }

  /** Ends a lease. */
  release(ref: SlabRef): void {
    // Decrement this thread's count first: if the thread ends in between, the slab stays busy, which is better than
    // being overwritten while others read it.
    Atomics.sub(this.#held, ref.index, 1);
    Atomics.sub(this.#words, ref.index * 2, 1);
  }
}
