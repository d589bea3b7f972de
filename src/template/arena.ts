// Shared memory for the transactions that the assembler reads: few large segments, cut into ranges of rounded sizes. Written by the
// node's thread alone; whoever frees a range has made sure that nobody reads it any more (mirror-feed.ts).

/** Where a record lies. */
export interface ArenaRange {
  readonly segment: number;
  readonly offset: number;
  /** Bytes asked for. */
  readonly length: number;
  /** Bytes set aside. */
  readonly capacity: number;
}

const SEGMENT_BYTES = 4 * 1024 * 1024;
/** Small records differ by an output more or less; large ones are rare. */
const SMALL_STEP = 64;
const LARGE_STEP = 4096;

export class Arena {
  readonly #segments: SharedArrayBuffer[] = [];
  readonly #views: Uint8Array[] = [];
  readonly #free = new Map<number, ArenaRange[]>();
  #current = -1;
  #used = 0;

  /** Segments so far; a segment never moves or shrinks. */
  get segments(): readonly SharedArrayBuffer[] {
    return this.#segments;
  }
  get allocatedBytes(): number {
    return this.#segments.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The whole segment, for writing. */
  view(segment: number): Uint8Array {
    return this.#views[segment];
  }

  allocate(length: number): ArenaRange {
    const step = length <= LARGE_STEP ? SMALL_STEP : LARGE_STEP;
    const capacity = Math.ceil(length / step) * step;
    const reused = this.#free.get(capacity)?.pop();
    if (reused !== undefined) return { ...reused, length };
    if (capacity > SEGMENT_BYTES) return { segment: this.#addSegment(capacity), offset: 0, length, capacity };
    if (this.#current < 0 || this.#used + capacity > SEGMENT_BYTES) {
      this.#current = this.#addSegment(SEGMENT_BYTES);
      this.#used = 0;
    }
    const range = { segment: this.#current, offset: this.#used, length, capacity };
    this.#used += capacity;
    return range;
  }

  free(range: ArenaRange): void {
    const list = this.#free.get(range.capacity);
    if (list === undefined) this.#free.set(range.capacity, [range]);
    else list.push(range);
  }

  #addSegment(bytes: number): number {
    const buffer = new SharedArrayBuffer(bytes);
    this.#views.push(new Uint8Array(buffer));
    return this.#segments.push(buffer) - 1;
  }
}
