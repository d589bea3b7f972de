// Writes the deltas that keep the assembler's mirror equal to the candidate set. The set keeps its figures in columns and its transactions
// in shared memory (source.ts), so a delta is figures alone; the assembler reads the transactions where they are. A row that the assembler
// knows is held when its transaction leaves, until the assembler has acknowledged the delta that says so: a reply may still name it.
import { COLUMN, type MirrorDelta, RECORD_HEADER, ROW_LENGTH } from '../jobs/assemble-messages.js';
import type { CandidateRecords, RecordFollower } from './source.js';

/** A row that left; `sequence` of the delta that says so, -1 while none has. */
interface Departed {
  readonly row: number;
  sequence: number;
}

const FIRST_ROOM = 1024;

/** States of a row here. */
const SENT = 1;
const DIRTY = 2;

export class MirrorFeed implements RecordFollower {
  readonly #records: CandidateRecords;
  readonly #instance: number;
  #states = new Uint8Array(FIRST_ROOM);
  #dirty: number[] = [];
  #dirtyLimit = FIRST_ROOM;
  #departed: Departed[] = [];
  #sequence = 0;
  #segmentsSent: (SharedArrayBuffer | null)[] = [];

  /** @param instance a number that no other feed of this assembler has */
  constructor(records: CandidateRecords, instance: number) {
    this.#records = records;
    this.#instance = instance;
    for (const row of records.rows.here()) this.added(row);
    records.follow(this);
  }

  added(row: number): void {
    if (row >= this.#states.length) {
      const grown = new Uint8Array(Math.max(row + 1, this.#records.rows.capacity));
      grown.set(this.#states);
      this.#states = grown;
    }
    this.#states[row] = DIRTY;
    this.#note(row);
  }

  removed(row: number): void {
    if ((this.#states[row] & SENT) !== 0) {
      this.#records.hold(row);
      this.#departed.push({ row, sequence: -1 });
    }
    // A row that was never sent is gone; its place in #dirty is passed over, or taken by the next to have the row.
    this.#states[row] = 0;
  }

  changed(row: number): void {
    if ((this.#states[row] & DIRTY) !== 0) return;
    this.#states[row] |= DIRTY;
    this.#note(row);
  }

  moved(row: number): void {
    // Records of rows that left, and are held, move too.
    if (this.#records.rows.isHere(row)) this.changed(row);
  }

  /** The changes since the delta before; everything when full. */
  delta(full: boolean): MirrorDelta {
    const base = full ? -1 : this.#sequence;
    const sequence = ++this.#sequence;
    const removed: number[] = [];
    for (const item of this.#departed) {
      if (item.sequence !== -1) continue;
      item.sequence = sequence;
      removed.push(item.row);
    }
    const changed = full ? this.#everything() : this.#takeDirty();
    const { columns, parents } = this.#writeRows(changed);
    return {
      instance: this.#instance,
      // The very first delta has nothing to continue.
      base: base === 0 ? -1 : base,
      sequence,
      segments: this.#newSegments(full),
      removed: Int32Array.from(base <= 0 ? [] : removed),
      changed,
      rows: columns,
      parents,
    };
  }

  /** The mirror is at this sequence: what left before it is free for reuse. */
  acknowledge(sequence: number): void {
    if (this.#departed.length === 0) return;
    const kept: Departed[] = [];
    for (const item of this.#departed) {
      if (item.sequence === -1 || item.sequence > sequence) kept.push(item);
      else this.#records.release(item.row);
    }
    this.#departed = kept;
  }

  /** Rows that came and went before anybody asked are thrown out now and then. */
  #note(row: number): void {
    this.#dirty.push(row);
    if (this.#dirty.length <= this.#dirtyLimit) return;
    this.#dirty = [];
    for (let each = 0; each < this.#states.length; each++) if ((this.#states[each] & DIRTY) !== 0) this.#dirty.push(each);
    this.#dirtyLimit = Math.max(FIRST_ROOM, this.#dirty.length * 2);
  }

  #everything(): Int32Array {
    const rows = this.#records.rows.here();
    for (const row of rows) this.#states[row] = SENT;
    this.#dirty = [];
    return shared(rows);
  }

  #takeDirty(): Int32Array {
    const rows: number[] = [];
    for (const row of this.#dirty) {
      if ((this.#states[row] & DIRTY) === 0) continue;
      this.#states[row] = SENT;
      rows.push(row);
    }
    this.#dirty = [];
    return shared(rows);
  }

  #newSegments(full: boolean): { index: number; buffer: SharedArrayBuffer | null }[] {
    const { arena } = this.#records;
    const found: { index: number; buffer: SharedArrayBuffer | null }[] = [];
    for (let index = 0; index < arena.segmentCount; index++) {
      const buffer = arena.segment(index);
      if (full ? buffer !== null : (this.#segmentsSent[index] ?? null) !== buffer) found.push({ index, buffer });
      this.#segmentsSent[index] = buffer;
    }
    return found;
  }

  /** Shared, so that the message to the assembler's thread takes no copy. */
  #writeRows(changed: Int32Array): { columns: Float64Array; parents: Int32Array } {
    const { rows, links } = this.#records;
    const columns = new Float64Array(new SharedArrayBuffer(changed.length * ROW_LENGTH * Float64Array.BYTES_PER_ELEMENT));
    const parents: number[] = [];
    // A hundred thousand rows in one go at worst: the columns are taken out of the loop.
    const { fee, modifiedFee, size, weight, sigopCost, lockTime, segment, offset, length } = rows;
    const { ancestorCount, ancestorSize, ancestorFees, ancestorSigops } = rows;
    for (let i = 0, at = 0; i < changed.length; i++, at += ROW_LENGTH) {
      const row = changed[i];
      const before = parents.length;
      if (ancestorCount[row] > 1) for (const parent of links.parents(row)) parents.push(parent);
      columns[at + COLUMN.fee] = fee[row];
      columns[at + COLUMN.modifiedFee] = modifiedFee[row];
      columns[at + COLUMN.size] = size[row];
      columns[at + COLUMN.weight] = weight[row];
      columns[at + COLUMN.sigops] = sigopCost[row];
      columns[at + COLUMN.ancestorCount] = ancestorCount[row];
      columns[at + COLUMN.ancestorSize] = ancestorSize[row];
      columns[at + COLUMN.ancestorFees] = ancestorFees[row];
      columns[at + COLUMN.ancestorSigops] = ancestorSigops[row];
      columns[at + COLUMN.lockTime] = lockTime[row];
      columns[at + COLUMN.hasWitness] = rows.hasWitness(row) ? 1 : 0;
      columns[at + COLUMN.segment] = segment[row];
      columns[at + COLUMN.offset] = offset[row];
      columns[at + COLUMN.length] = RECORD_HEADER + length[row];
      columns[at + COLUMN.parentCount] = parents.length - before;
    }
    return { columns, parents: shared(parents) };
  }
}

function shared(values: ArrayLike<number>): Int32Array {
  const array = new Int32Array(new SharedArrayBuffer(values.length * Int32Array.BYTES_PER_ELEMENT));
  array.set(values);
  return array;
}
