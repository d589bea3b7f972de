// Stores the bytes of mempool transactions next to each other in large segments of shared memory. An object, a buffer
// and an offset table for each of 100,000 transactions would take five times the memory of the transactions. The
// assembler reads the same bytes on its thread without a copy. Layout of a record: jobs/assemble-messages.ts.
//
// A range is written once, so a late reader still reads the record that it expects. A segment is freed when no thread
// refers to it any more. When a third of all memory is unused, the records of the emptiest segment move to the newest
// one. Each freed record pays for moving a few bytes, so that a block that removes thousands of transactions does not
// move everything at once.
import type { TxView } from '../consensus/tx/tx-view.js';
import { RECORD_HEADER } from '../jobs/assemble-messages.js';
import type { Rows } from './rows.js';

/** Share of the memory that records must use before segments are compacted; one or two segments are exempt. */
const FULL_ENOUGH = 2 / 3;
/**
 * Bytes moved per freed byte at most. Emptying a segment that is two thirds full moves two bytes for each byte that it
 * frees.
 */
const MOVED_PER_FREED = 3;

interface Segment {
  readonly buffer: SharedArrayBuffer;
  readonly bytes: Uint8Array;
  used: number;
  live: number;
  /** Rows whose records were written to this segment. A row that moved has another segment number in its columns. */
  owners: number[];
}

/**
 * Compares rows by txid in Core's order: byte by byte in internal order, so the byte that is displayed last counts
 * most.
 */
export function compareIds({ offset }: Rows, arena: Pick<RecordArena, 'bytesOf'>, a: number, b: number): number {
  const aBytes = arena.bytesOf(a);
  const bBytes = arena.bytesOf(b);
  for (let i = offset[a], k = offset[b], end = i + 32; i < end; i++, k++) {
    if (aBytes[i] !== bBytes[k]) return aBytes[i] - bBytes[k];
  }
  return 0;
}

export class RecordArena {
  readonly #rows: Rows;
  readonly #segmentBytes: number;
  readonly #moved: (row: number) => void;
  readonly #segments: (Segment | null)[] = [];
  /** Bytes of the segments by number. */
  readonly #bytes: Uint8Array[] = [];
  readonly #freeNumbers: number[] = [];
  #current = -1;
  #reserved = 0;
  #live = 0;
  #credit = 0;
  /** Number of the segment that is being emptied, -1 for none. */
  #emptying = -1;

  /**
   * @param segmentBytes size of a segment; a larger record gets a segment of its own
   * @param moved called with each row whose record has moved
   */
  constructor(rows: Rows, segmentBytes: number, moved: (row: number) => void) {
    this.#rows = rows;
    this.#segmentBytes = segmentBytes;
    this.#moved = moved;
  }

  /** Bytes of all segments. */
  get reservedBytes(): number {
    return this.#reserved;
  }

  /** Number of segment numbers; some may be free. */
  get segmentCount(): number {
    return this.#segments.length;
  }

  /** Returns the memory of a segment; null for a free number. */
  segment(number: number): SharedArrayBuffer | null {
    return this.#segments[number]?.buffer ?? null;
  }

  /** Returns the bytes of the segment with a row's record, which begins at the column `offset`. */
  bytesOf(row: number): Uint8Array {
    return this.#bytes[this.#rows.segment[row]];
  }

  /** Writes a transaction's record and sets the row's columns. */
  store(row: number, tx: TxView): void {
    const at = this.#reserve(row, tx.totalSize);
    this.#live += RECORD_HEADER + tx.totalSize;
    const { bytes } = this.#segments[this.#current] as Segment;
    bytes.set(tx.txid, at);
    bytes.set(tx.wtxid, at + 32);
    bytes.set(tx.bytes, at + RECORD_HEADER);
  }

  /** Frees the row's record. */
  free(row: number): void {
    const { segment, length } = this.#rows;
    const number = segment[row];
    const size = RECORD_HEADER + length[row];
    (this.#segments[number] as Segment).live -= size;
    this.#live -= size;
    segment[row] = -1;
    this.#review(number);
    this.#credit = Math.min(this.#credit + size * MOVED_PER_FREED, this.#segmentBytes);
    this.#compact();
  }

  /**
   * Reserves space for a row's record at the end of the newest segment.
   * @returns offset
   */
  #reserve(row: number, length: number): number {
    const size = RECORD_HEADER + length;
    if (this.#current < 0 || this.#used(this.#current) + size > this.#bytes[this.#current].length) this.#startSegment(size);
    const segment = this.#segments[this.#current] as Segment;
    const at = segment.used;
    this.#rows.segment[row] = this.#current;
    this.#rows.offset[row] = at;
    this.#rows.length[row] = length;
    segment.used += size;
    segment.live += size;
    segment.owners.push(row);
    return at;
  }

  #used(number: number): number {
    return (this.#segments[number] as Segment).used;
  }

  #startSegment(size: number): void {
    const full = this.#current;
    const buffer = new SharedArrayBuffer(Math.max(this.#segmentBytes, size));
    const number = this.#freeNumbers.pop() ?? this.#segments.length;
    const bytes = new Uint8Array(buffer);
    this.#segments[number] = { buffer, bytes, used: 0, live: 0, owners: [] };
    this.#bytes[number] = bytes;
    this.#reserved += bytes.length;
    this.#current = number;
    // The previous segment may have lost all its records while it was the newest, when it could not be released.
    if (full >= 0) this.#review(full);
  }

  /** Releases a segment without records. */
  #review(number: number): void {
    const segment = this.#segments[number] as Segment;
    if (number === this.#current || segment.live > 0) return;
    this.#reserved -= segment.bytes.length;
    this.#segments[number] = null;
    this.#bytes[number] = NOTHING;
    this.#freeNumbers.push(number);
    if (this.#emptying === number) this.#emptying = -1;
  }

  /** Moves records out of the emptiest segment, as far as the credit from freed bytes allows. */
  #compact(): void {
    while (this.#credit > 0) {
      // Finish a segment that was begun, because emptying half of it frees nothing.
      if (this.#emptying < 0 && (this.#reserved - this.#segmentBytes) * FULL_ENOUGH > this.#live) this.#emptying = this.#emptiest();
      const number = this.#emptying;
      if (number < 0) return;
      const { bytes, owners } = this.#segments[number] as Segment;
      const row = owners.pop() as number;
      const { segment, offset, length } = this.#rows;
      if (segment[row] !== number) continue;
      const from = offset[row];
      const size = RECORD_HEADER + length[row];
      const at = this.#reserve(row, length[row]);
      this.#bytes[this.#current].set(bytes.subarray(from, from + size), at);
      this.#credit -= size;
      (this.#segments[number] as Segment).live -= size;
      this.#moved(row);
      this.#review(number);
    }
  }

  #emptiest(): number {
    let found = -1;
    let least = 1;
    for (let number = 0; number < this.#segments.length; number++) {
      const segment = this.#segments[number];
      if (segment === null || number === this.#current) continue;
      const share = segment.live / segment.used;
      if (share < least) {
        found = number;
        least = share;
      }
    }
    return found;
  }
}

const NOTHING = new Uint8Array(0);
