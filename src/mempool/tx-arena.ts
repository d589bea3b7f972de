// The bytes of the pool's transactions, side by side in large segments: an object, a buffer and an offset table for each of a hundred
// thousand transactions take five times the room of the transactions themselves, and the collector walks them all. A view is made when
// somebody asks.
//
// A range is written once and never again, so a view that somebody still holds stays true: when half of a full segment is free, what is
// left moves to the newest segment, and the old one ends with its last view. Moving costs what was freed before.

const SEGMENT_BYTES = 256 << 10;

/** Where a transaction's bytes are; changed by the arena alone. */
export interface ArenaPlace {
  segment: ArenaSegment;
  offset: number;
  readonly length: number;
  /** Whether the range counts; a freed place keeps naming its bytes for who still holds it. */
  stored: boolean;
}

export class ArenaSegment {
  readonly bytes: Uint8Array;
  used = 0;
  live = 0;
  /** Everyone who was ever here; who has moved on names another segment. */
  owners: ArenaPlace[] = [];

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
  }
}

/** Where a place is before it is stored. */
export const NO_SEGMENT = new ArenaSegment(0);

export class TxArena {
  #current = NO_SEGMENT;
  #reserved = 0;

  /** Bytes of all segments in use. */
  get reservedBytes(): number {
    return this.#reserved;
  }

  /** Copies the bytes in and fills in the place. */
  store(place: ArenaPlace, bytes: Uint8Array): void {
    // Starting a segment may move others into it, and leave too little for a large one.
    while (this.#current.used + place.length > this.#current.bytes.length) this.#startSegment(place.length);
    const segment = this.#current;
    segment.bytes.set(bytes, segment.used);
    place.segment = segment;
    place.offset = segment.used;
    place.stored = true;
    segment.used += place.length;
    segment.live += place.length;
    segment.owners.push(place);
  }

  #startSegment(length: number): void {
    const full = this.#current;
    this.#current = new ArenaSegment(Math.max(SEGMENT_BYTES, length));
    this.#reserved += this.#current.bytes.length;
    // What was freed there while it was the newest, which is never given up, counts now.
    this.#review(full);
  }

  /** The range is no longer needed. */
  free(place: ArenaPlace): void {
    const { segment } = place;
    segment.live -= place.length;
    place.stored = false;
    this.#review(segment);
  }

  #review(segment: ArenaSegment): void {
    if (segment === this.#current || segment === NO_SEGMENT || segment.live * 2 > segment.used) return;
    const { owners } = segment;
    segment.owners = [];
    this.#reserved -= segment.bytes.length;
    for (const place of owners) {
      if (!place.stored || place.segment !== segment) continue;
      this.store(place, segment.bytes.subarray(place.offset, place.offset + place.length));
    }
  }
}
