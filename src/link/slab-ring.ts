// A fixed ring of shared memory slabs for what many fronts send at once (encoded templates). The node thread takes a
// free slab, a worker fills it, fronts lease it while they send. Reference counts are atomic; a slab is rewritten only
// at zero. A fresh SharedArrayBuffer for each template would reach gigabytes before the collector looks: hence the
// ring.
//
// Control words, two int32 per slab: [count, use]. count -1: being written; 0: free; n: n references, of which one is
// the publisher's. use: number of times the slab was taken, so that a late reader notices that its content is gone.

/** Where published bytes are; goes to fronts inside a template's facts. */
export interface SlabRef {
  readonly index: number;
  /** The use during which these bytes are valid. */
  readonly use: number;
}

/** A slab being written. */
export interface WritableSlab extends SlabRef {
  readonly buffer: SharedArrayBuffer;
}

/** What a front must know of a slab: sent at start and whenever a slab was replaced by a larger one. */
export interface SlabInfo {
  readonly index: number;
  readonly generation: number;
  readonly buffer: SharedArrayBuffer;
}

/** Plain figures. */
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

/** The writing side; lives on the node thread. */
export class SlabRing {
  readonly control: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #slabs: SlabInfo[] = [];
  /** Slabs by the time of their publication, oldest first; some may be free again. */
  #published: number[] = [];
  #current: SlabRef | null = null;
  readonly #waiting: (() => void)[] = [];
  #grown = 0;
  #exhausted = 0;
  /** Told of every slab that was replaced, before it is used. */
  onGrow: (slab: SlabInfo) => void = () => {};
  /** Told that no slab is free, with the slab whose readers are the longest at it. */
  onExhausted: (index: number) => void = () => {};

  constructor(count = 8) {
    this.control = new SharedArrayBuffer(count * 8);
    this.#words = new Int32Array(this.control);
    for (let index = 0; index < count; index++) {
      this.#slabs.push({ index, generation: 0, buffer: new SharedArrayBuffer(0) });
    }
  }

  /** All slabs as they are now, for a front that starts. */
  get slabs(): readonly SlabInfo[] {
    return this.#slabs;
  }

  /**
   * A slab of at least sizeBytes, reserved for writing; then publish() or discard() it. Null when every slab is being
   * read: onExhausted was called, and one will be free as soon as the slowest readers were closed.
   */
  takeSlab(sizeBytes: number): WritableSlab | null {
    // Those that are large enough first, always the same: two or three hold all that readers in time need.
    const index = this.#reserve(sizeBytes) ?? this.#reserve(0);
    if (index === undefined) {
      this.#exhausted++;
      // The slab in use now has no slow readers yet.
      const oldest = this.#published.find((published) => published !== this.#current?.index);
      if (oldest !== undefined) this.onExhausted(oldest);
      return null;
    }
    this.#published = this.#published.filter((published) => published !== index);
    const use = (Atomics.add(this.#words, index * 2 + 1, 1) + 1) | 0;
    if (this.#slabs[index].buffer.byteLength < sizeBytes) this.#grow(index, sizeBytes);
    return { index, use, buffer: this.#slabs[index].buffer };
  }

  /** The first free slab of at least so many bytes, for writing. */
  #reserve(leastBytes: number): number | undefined {
    return this.#slabs.find(
      ({ index, buffer }) => buffer.byteLength >= leastBytes && Atomics.compareExchange(this.#words, index * 2, 0, WRITING) === 0,
    )?.index;
  }

  /** Like take(), but when every slab is taken it waits until readers have gone. */
  takeSlabWhenFree(sizeBytes: number): WritableSlab | Promise<WritableSlab> {
    const slab = this.takeSlab(sizeBytes);
    if (slab !== null) return slab;
    return new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      // Readers that end by themselves send no word.
      setTimeout(resolve, RETRY_MS);
    }).then(() => this.takeSlabWhenFree(sizeBytes));
  }

  /** Readers were cut off: callers that wait for a slab look again. */
  retryWaiting(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /**
   * The bytes are written: readers may lease the slab. The publisher's reference moves to it from the slab published
   * before, which is free as soon as its last reader is done. Twice is once.
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

  /** A reader is gone that can't give back what it held. @param held as it was given it; all zero afterwards */
  endLeases(held: SharedArrayBuffer): void {
    const counts = new Int32Array(held);
    for (const { index } of this.#slabs) Atomics.sub(this.#words, index * 2, Atomics.exchange(counts, index, 0));
    this.retryWaiting();
  }

  /** Gives a taken slab back unused. */
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

/** The reading side; one per front. */
export class SlabReader {
  readonly #words: Int32Array;
  readonly #slabs: SlabInfo[];
  readonly #held: Int32Array;

  /** @param held counts its leases, one int32 per slab, for SlabRing.endLeases */
  constructor(control: SharedArrayBuffer, slabs: readonly SlabInfo[], held = new SharedArrayBuffer(slabs.length * 4)) {
    this.#words = new Int32Array(control);
    this.#slabs = [...slabs];
    this.#held = new Int32Array(held);
  }

  /** Takes note of a slab that was replaced; older news of the same slab is ignored. */
  update(slab: SlabInfo): void {
    if (slab.generation > this.#slabs[slab.index].generation) this.#slabs[slab.index] = slab;
  }

  /** Holds the published bytes in place; null when they are gone. Every lease must be given back once. */
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
    // First here: a slab that stays busy is better than one that is written while others read it.
    Atomics.sub(this.#held, ref.index, 1);
    Atomics.sub(this.#words, ref.index * 2, 1);
  }
}
