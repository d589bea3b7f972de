// Figures of rows as a delta carries them, written piece by piece because a hundred thousand take their time: what
// became wrong meanwhile is taken out at the end, and what is new comes behind. Shared memory, so that the message to
// the assembler's thread takes no copy. Used by mirror-feed.ts.
import { COLUMN, RECORD_HEADER, ROW_LENGTH } from '../jobs/assemble-messages.js';
import type { CandidateRecords } from './source.js';

/** Room for rows that come while others are written; beyond that the block is copied. */
const SLACK_ROWS = 1024;

/** Rows as MirrorDelta has them. */
export interface MirrorRows {
  readonly changed: Int32Array;
  readonly rows: Float64Array;
  readonly parents: Int32Array;
}

export class RowBlock {
  readonly #records: CandidateRecords;
  /** What is to be written, and how far that is. */
  readonly #planned: Int32Array;
  #written = 0;
  #columns: Float64Array;
  #parents = new Int32Array(64);
  #parentCount = 0;

  /** @param planned rows to be written, none twice; the block's own from now on */
  constructor(records: CandidateRecords, planned: Int32Array) {
    this.#records = records;
    this.#planned = planned;
    this.#columns = sharedColumns(planned.length + SLACK_ROWS);
  }

  get done(): boolean {
    return this.#written === this.#planned.length;
  }

  /** Writes the next ones. @param stands whether a row is still as planned; others are only skipped now */
  write(count: number, stands: (row: number) => boolean): void {
    const end = Math.min(this.#written + count, this.#planned.length);
    this.#writeRows(this.#planned, this.#written, end, this.#written, stands);
    this.#written = end;
  }

  /**
   * The rows that still stand, then the others. The block is used up.
   * @param others must not be among those that stand
   */
  finish(stands: (row: number) => boolean, others: readonly number[]): MirrorRows {
    const remaining = this.#compact(stands);
    const changed = new Int32Array(new SharedArrayBuffer((remaining.length + others.length) * Int32Array.BYTES_PER_ELEMENT));
    changed.set(remaining);
    changed.set(others, remaining.length);
    if (changed.length * ROW_LENGTH > this.#columns.length) {
      const grown = sharedColumns(changed.length);
      grown.set(this.#columns.subarray(0, remaining.length * ROW_LENGTH));
      this.#columns = grown;
    }
    this.#writeRows(changed, remaining.length, changed.length, remaining.length, () => true);
    const parents = new Int32Array(new SharedArrayBuffer(this.#parentCount * Int32Array.BYTES_PER_ELEMENT));
    parents.set(this.#parents.subarray(0, this.#parentCount));
    return { changed, rows: this.#columns, parents };
  }

  /** What was planned and is not written yet, for the caller to plan anew. */
  unwritten(): Int32Array {
    return this.#planned.subarray(this.#written);
  }

  /** Moves what stands together. @returns its rows */
  #compact(stands: (row: number) => boolean): Int32Array {
    const planned = this.#planned;
    let remaining = 0;
    let parentsFrom = 0;
    let parentsTo = 0;
    for (let i = 0; i < this.#written; i++) {
      const parents = this.#columns[i * ROW_LENGTH + COLUMN.parentCount];
      if (stands(planned[i])) {
        // Mostly everything stands where it is.
        if (remaining < i) {
          planned[remaining] = planned[i];
          this.#columns.copyWithin(remaining * ROW_LENGTH, i * ROW_LENGTH, (i + 1) * ROW_LENGTH);
          this.#parents.copyWithin(parentsTo, parentsFrom, parentsFrom + parents);
        }
        remaining++;
        parentsTo += parents;
      }
      parentsFrom += parents;
    }
    this.#parentCount = parentsTo;
    return planned.subarray(0, remaining);
  }

  #writeRows(list: Int32Array, from: number, end: number, place: number, stands: (row: number) => boolean): void {
    const { rows, links } = this.#records;
    const columns = this.#columns;
    // The columns are taken out of the loop.
    const { fee, modifiedFee, size, weight, sigopCost, lockTime, segment, offset, length } = rows;
    const { ancestorCount, ancestorSize, ancestorFees, ancestorSigops } = rows;
    for (let i = from, at = place * ROW_LENGTH; i < end; i++, at += ROW_LENGTH) {
      const row = list[i];
      if (!stands(row)) {
        columns[at + COLUMN.parentCount] = 0;
        continue;
      }
      const before = this.#parentCount;
      if (ancestorCount[row] > 1) this.#addParents(links.parents(row));
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
      columns[at + COLUMN.parentCount] = this.#parentCount - before;
    }
  }

  #addParents(list: readonly number[]): void {
    if (this.#parentCount + list.length > this.#parents.length) {
      const grown = new Int32Array(Math.max(this.#parents.length * 2, this.#parentCount + list.length));
      grown.set(this.#parents.subarray(0, this.#parentCount));
      this.#parents = grown;
    }
    for (const parent of list) this.#parents[this.#parentCount++] = parent;
  }
}

function sharedColumns(rows: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(rows * ROW_LENGTH * Float64Array.BYTES_PER_ELEMENT));
}
