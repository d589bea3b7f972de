// Writes the deltas that keep the assembler's mirror equal to the candidate set. The set keeps its figures in columns
// and its transactions in shared memory (source.ts), so a delta is figures alone; the assembler reads the transactions
// where they are. A row that the assembler knows is held when its transaction leaves, until the assembler has
// acknowledged the delta that says so: a reply may still name it. When too much is held that way because no client
// asks for templates, the mirror is emptied, and the next delta has everything.
import { type MirrorDelta, RECORD_HEADER } from '../jobs/assemble-messages.js';
import { RowBlock } from './mirror-rows.js';
import type { CandidateRecords, RecordFollower } from './source.js';

/** A row that left; `sequence` of the delta that says so, -1 while none has. */
interface Departed {
  readonly row: number;
  sequence: number;
}

const INITIAL_CAPACITY = 1024;
/** Rows that are written in one go, less than a millisecond. */
const ROWS_AT_ONCE = 2_000;
/**
 * Transactions that left and are held at most between requests: two blocks of the smallest, or four of the largest. A
 * block may come while another template is built; a mirror of a large mempool that it emptied takes seconds to fill.
 */
const HELD_ROWS = 40_000;
const HELD_BYTES = 16 << 20;

/**
 * States of a row here: the assembler knows it; it changed since; its figures are in the block that is being written.
 */
const SENT = 1;
const DIRTY = 2;
const PLANNED = 4;

/** Limits that tests make small. */
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
  /** Requests whose replies may name rows that the mirror had. */
  #openRequests = 0;
  #emptying = false;
  /** Set when a change was lost. The next delta then contains all rows. */
  #failed = false;

  /**
   * @param instance a number that no other feed of this assembler has
   * @param empty sends the assembler a delta that empties the mirror; deltas that are made later come after it
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

  /** Rows that left and are held. */
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
    // A row that was never sent is gone; its place in #dirty is passed over, or taken by the next to have the row.
    this.#states[row] = 0;
  }

  changed(row: number): void {
    if ((this.#states[row] & DIRTY) !== 0) return;
    this.#states[row] |= DIRTY;
    this.#addDirty(row);
  }

  moved(row: number): void {
    // Records of rows that left, and are held, move too.
    if (this.#records.rows.isHere(row)) this.changed(row);
  }

  failed(): void {
    this.#failed = true;
  }

  /**
   * Writes most of a large delta ahead, in pieces.
   * @param pause lets others have their turn; the set may change meanwhile
   * @returns undefined when little is to be written, which the delta does by itself
   */
  prepare(pause: () => Promise<void>): Promise<void> | undefined {
    if (this.#preparing !== null) return this.#preparing.then(() => this.prepare(pause));
    if (this.#dirty.length <= this.#rowsAtOnce) return undefined;
    this.#preparing = this.#prepare(pause).finally(() => {
      this.#preparing = null;
    });
    return this.#preparing;
  }

  /** Returns the changes since the previous delta; all rows if `wanted`, or after a failure. */
  delta(wanted: boolean): MirrorDelta {
    const full = wanted || this.#failed;
    this.#failed = false;
    // The very first delta has nothing to continue.
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

  /** A request with the last delta is under way: rows that leave meanwhile may be in its reply. */
  requestStarted(): void {
    this.#openRequests++;
  }

  /** Its reply has been read, or there is none. */
  requestEnded(): void {
    this.#openRequests--;
    this.#emptyMirrorIfLarge();
  }

  /** The mirror is at this sequence: what left before it is free for reuse. */
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
      // A delta did not wait for it, or the mirror was emptied.
      if (this.#block !== block) return;
    }
  }

  /** Its row is as it was when it was planned. */
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

  /** Rows that changed, each once; none does afterwards. */
  #takeDirty(): number[] {
    const rows: number[] = [];
    for (const row of this.#dirty) {
      if ((this.#states[row] & DIRTY) === 0) continue;
      // What was planned of it is out of date.
      this.#states[row] &= SENT;
      rows.push(row);
    }
    this.#dirty = [];
    return rows;
  }

  /** Gives up a block that was written ahead and never used. */
  #dropBlock(): void {
    if (this.#block === null) return;
    this.#block = null;
    for (let row = 0; row < this.#states.length; row++) if (this.#isAsPlanned(row)) this.changed(row);
  }

  /** As if nothing had been sent. */
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

  /** After the change that is under way: the pool is in the middle of it. */
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

  /** Rows that came and went between two requests are thrown out now and then. */
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
