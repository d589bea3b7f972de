// Writes the deltas that keep the assembler's mirror equal to the candidates. Candidates have their figures in columns
// and their transactions in shared memory (source.ts), so a delta consists of figures; the assembler reads the
// transactions in place. If a transaction leaves whose row the assembler knows, the row is held until the assembler has
// acknowledged the delta with its removal, because a reply may still name the row. If too much is held because no
// client requests templates, the mirror is emptied, and the next delta has all rows.
import { type MirrorDelta, RECORD_HEADER } from '../jobs/assemble-messages.js';
import { RowBlock } from './mirror-rows.js';
import type { CandidateRecords, RecordFollower } from './source.js';

/** A row whose transaction left. `sequence` is that of the delta with the removal; -1 before that delta was made. */
interface Departed {
  readonly row: number;
  sequence: number;
}

const INITIAL_CAPACITY = 1024;
/** Rows that are written at once, in less than a millisecond. */
const ROWS_AT_ONCE = 2_000;
/**
 * Limits of held transactions between requests: two blocks of the smallest ones, or four of the largest. A block may
 * arrive while another template is built, and refilling an emptied mirror of a large mempool takes seconds.
 */
const HELD_ROWS = 40_000;
const HELD_BYTES = 16 << 20;

/** States of a row: known to the assembler; changed since; in the block that is being written. */
const SENT = 1;
const DIRTY = 2;
const PLANNED = 4;

/** Limits that tests reduce. */
export interface MirrorFeedLimits {
  readonly rowsAtOnce?: number;
  readonly heldRows?: number;
}

export class MirrorFeed implements RecordFollower {
  readonly #records: CandidateRecords;
  readonly #instance: number;
  readonly #empty: (delta: MirrorDelta) => void;
  readonly #rowsAtOnce: number;
  readonly #heldRows: number;
  #states = new Uint8Array(INITIAL_CAPACITY);
  #dirty: number[] = [];
  #dirtyLimit = INITIAL_CAPACITY;
  #departed: Departed[] = [];
  #departedBytes = 0;
  #sequence = 0;
  #segmentsSent: (SharedArrayBuffer | null)[] = [];
  #block: RowBlock | null = null;
  #preparing: Promise<void> | null = null;
  /** Number of requests whose replies may name rows of the mirror. */
  #openRequests = 0;
  #emptying = false;
  /** True if a change was lost. The next delta then contains all rows. */
  #failed = false;

  /**
   * @param instance a number that no other feed of this assembler has
   * @param empty sends the assembler a delta that empties the mirror; later deltas follow it
   */
  constructor(records: CandidateRecords, instance: number, empty: (delta: MirrorDelta) => void, limits: MirrorFeedLimits = {}) {
    this.#records = records;
    this.#instance = instance;
    this.#empty = empty;
    this.#rowsAtOnce = limits.rowsAtOnce ?? ROWS_AT_ONCE;
    this.#heldRows = limits.heldRows ?? HELD_ROWS;
    for (const row of records.rows.here()) this.added(row);
    records.follow(this);
  }

  /** Number of held rows whose transactions left. */
  get heldRows(): number {
    return this.#departed.length;
  }

  added(row: number): void {
    if (row >= this.#states.length) {
      const grown = new Uint8Array(Math.max(row + 1, this.#records.rows.capacity));
      grown.set(this.#states);
      this.#states = grown;
    }
    this.#states[row] = DIRTY;
    this.#addDirty(row);
  }

  removed(row: number): void {
    if ((this.#states[row] & SENT) !== 0) {
      this.#records.hold(row);
      this.#departed.push({ row, sequence: -1 });
      this.#departedBytes += RECORD_HEADER + this.#records.rows.length[row];
      this.#emptyMirrorIfLarge();
    }
    // A row that was never sent is simply dropped. Its entry in #dirty is skipped, or used by the next transaction in the row.
    this.#states[row] = 0;
  }

  changed(row: number): void {
    if ((this.#states[row] & DIRTY) !== 0) return;
    this.#states[row] |= DIRTY;
    this.#addDirty(row);
  }

  moved(row: number): void {
    // Held records of transactions that left move too.
    if (this.#records.rows.isHere(row)) this.changed(row);
  }

  failed(): void {
    this.#failed = true;
  }

  /**
   * Writes most of a large delta in advance, in pieces.
   * @param pause yields to other work; candidates may change meanwhile
   * @returns undefined if there is little to write, which delta() does itself
   */
  prepare(pause: () => Promise<void>): Promise<void> | undefined {
    if (this.#preparing !== null) return this.#preparing.then(() => this.prepare(pause));
    if (this.#dirty.length <= this.#rowsAtOnce) return undefined;
    this.#preparing = this.#prepare(pause).finally(() => {
      this.#preparing = null;
    });
    return this.#preparing;
  }

  /** Returns the changes since the previous delta. @param wanted true for all rows, which a failure also causes */
  delta(wanted: boolean): MirrorDelta {
    const full = wanted || this.#failed;
    this.#failed = false;
    // The first delta has no predecessor.
    const restarts = full || this.#sequence === 0;
    const base = restarts ? -1 : this.#sequence;
    const sequence = ++this.#sequence;
    const removed: number[] = [];
    for (const item of this.#departed) {
      if (item.sequence !== -1) continue;
      item.sequence = sequence;
      removed.push(item.row);
    }
    if (full) this.#dirtyAll();
    return {
      instance: this.#instance,
      base,
      sequence,
      segments: this.#newSegments(restarts),
      removed: Int32Array.from(restarts ? [] : removed),
      ...this.#takeChanged(),
    };
  }

  /** Called when a request with the last delta was sent: its reply may name rows that leave from now on. */
  requestStarted(): void {
    this.#openRequests++;
  }

  /** Called when the reply to a request has been processed, or will not arrive. */
  requestEnded(): void {
    this.#openRequests--;
    this.#emptyMirrorIfLarge();
  }

  /** Called when the mirror has this sequence: rows that left before it may be reused. */
  acknowledge(sequence: number): void {
    if (this.#departed.length === 0) return;
    const remaining: Departed[] = [];
    for (const item of this.#departed) {
      if (item.sequence === -1 || item.sequence > sequence) remaining.push(item);
      else this.#releaseRow(item.row);
    }
    this.#departed = remaining;
  }

  async #prepare(pause: () => Promise<void>): Promise<void> {
    this.#dropBlock();
    const planned = this.#takeDirty();
    for (const row of planned) this.#states[row] |= PLANNED;
    const block = new RowBlock(this.#records, new Int32Array(planned));
    this.#block = block;
    for (;;) {
      block.write(this.#rowsAtOnce, this.#isAsPlanned);
      if (block.done) return;
      await pause();
      // Stop if meanwhile a delta was sent without this block, or the mirror was emptied.
      if (this.#block !== block) return;
    }
  }

  /** Returns true if a row has not changed since it was planned. */
  #isAsPlanned = (row: number): boolean => (this.#states[row] & (PLANNED | DIRTY)) === PLANNED;

  #takeChanged(): Pick<MirrorDelta, 'changed' | 'rows' | 'parents'> {
    const block = this.#block ?? new RowBlock(this.#records, new Int32Array(0));
    this.#block = null;
    for (const row of block.unwritten()) if (this.#isAsPlanned(row)) this.changed(row);
    const others = this.#takeDirty();
    const result = block.finish(this.#isAsPlanned, others);
    for (const row of result.changed) this.#states[row] = SENT;
    return result;
  }

  /** Returns the changed rows, each once, and marks them as unchanged. */
  #takeDirty(): number[] {
    const rows: number[] = [];
    for (const row of this.#dirty) {
      if ((this.#states[row] & DIRTY) === 0) continue;
      // A planned copy of this row is outdated.
      this.#states[row] &= SENT;
      rows.push(row);
    }
    this.#dirty = [];
    return rows;
  }

  /** Drops a block that was written in advance and not used. */
  #dropBlock(): void {
    if (this.#block === null) return;
    this.#block = null;
    for (let row = 0; row < this.#states.length; row++) if (this.#isAsPlanned(row)) this.changed(row);
  }

  /** Marks all rows as never sent. */
  #dirtyAll(): void {
    this.#block = null;
    this.#states.fill(0);
    this.#dirty = Array.from(this.#records.rows.here());
    for (const row of this.#dirty) this.#states[row] = DIRTY;
  }

  #releaseRow(row: number): void {
    this.#departedBytes -= RECORD_HEADER + this.#records.rows.length[row];
    this.#records.release(row);
  }

  /** Empties the mirror if too many rows are held. Waits until the current change of the mempool has ended. */
  #emptyMirrorIfLarge(): void {
    const tooMuch = this.#departed.length > this.#heldRows || this.#departedBytes > HELD_BYTES;
    if (!tooMuch || this.#openRequests > 0 || this.#emptying) return;
    this.#emptying = true;
    queueMicrotask(() => {
      this.#emptying = false;
      if (this.#openRequests > 0) return;
      for (const { row } of this.#departed) this.#releaseRow(row);
      this.#departed = [];
      this.#segmentsSent = [];
      this.#dirtyAll();
      const nothing = new RowBlock(this.#records, new Int32Array(0)).finish(this.#isAsPlanned, []);
      this.#empty({
        instance: this.#instance,
        base: -1,
        sequence: ++this.#sequence,
        segments: [],
        removed: new Int32Array(0),
        ...nothing,
      });
    });
  }

  /** Adds a changed row. From time to time removes entries of rows that came and left between two requests. */
  #addDirty(row: number): void {
    this.#dirty.push(row);
    if (this.#dirty.length <= this.#dirtyLimit) return;
    this.#dirty = [];
    for (let each = 0; each < this.#states.length; each++) if ((this.#states[each] & DIRTY) !== 0) this.#dirty.push(each);
    this.#dirtyLimit = Math.max(INITIAL_CAPACITY, this.#dirty.length * 2);
  }

  #newSegments(all: boolean): { index: number; buffer: SharedArrayBuffer | null }[] {
    const { arena } = this.#records;
    const found: { index: number; buffer: SharedArrayBuffer | null }[] = [];
    for (let index = 0; index < arena.segmentCount; index++) {
      const buffer = arena.segment(index);
      if (all ? buffer !== null : (this.#segmentsSent[index] ?? null) !== buffer) found.push({ index, buffer });
      this.#segmentsSent[index] = buffer;
    }
    return found;
  }
}
