// Figures of rows in the form of a delta, written piece by piece because a hundred thousand rows take a while. Rows
// that change meanwhile are removed at the end, and new ones are appended. The figures are in shared memory, so that
// the message to the assembler's thread copies nothing.
import { COLUMN, RECORD_HEADER, ROW_LENGTH } from '../jobs/assemble-messages.js';
import type { CandidateRecords } from './source.js';

/** Reserve for rows that are added while planned rows are written. If more rows are added, the block is copied. */
const SLACK_ROWS = 1024;

/** Rows in the form of MirrorDelta. */
export interface MirrorRows {
  readonly changed: Int32Array;
  readonly rows: Float64Array;
  readonly parents: Int32Array;
}

export class RowBlock {
  readonly #records: CandidateRecords;
  /** Rows to write, and the number of those already written. */
  readonly #planned: Int32Array;
  #written = 0;
  #columns: Float64Array;
  #parents = new Int32Array(64);
  #parentCount = 0;

  /** @param planned rows to write, without duplicates; owned by the block from now on */
  constructor(records: CandidateRecords, planned: Int32Array) {
    this.#records = records;
    this.#planned = planned;
    this.#columns = sharedColumns(planned.length + SLACK_ROWS);
  }

  get done(): boolean {
    return this.#written === this.#planned.length;
  }

  /** Writes the next rows. @param isUnchanged returns true if a row has not changed since it was planned; other rows are skipped */
  write(count: number, isUnchanged: (row: number) => boolean): void {
    const end = Math.min(this.#written + count, this.#planned.length);
    this.#writeRows(this.#planned, this.#written, end, this.#written, isUnchanged);
    this.#written = end;
  }

  /**
   * Returns the unchanged rows, then the others. The block cannot be used afterwards.
   * @param others rows that are not among the unchanged ones
   */
  finish(isUnchanged: (row: number) => boolean, others: readonly number[]): MirrorRows {
    const remaining = this.#compact(isUnchanged);
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

  /** Returns the planned rows that are not written yet, for the caller to plan again. */
  unwritten(): Int32Array {
    return this.#planned.subarray(this.#written);
  }

  /** Moves the unchanged rows together. @returns their rows */
  #compact(isUnchanged: (row: number) => boolean): Int32Array {
    const planned = this.#planned;
    let remaining = 0;
    let parentsFrom = 0;
    let parentsTo = 0;
    for (let i = 0; i < this.#written; i++) {
      const parents = this.#columns[i * ROW_LENGTH + COLUMN.parentCount];
      if (isUnchanged(planned[i])) {
        // Usually all rows stay in place.
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

  #writeRows(list: Int32Array, from: number, end: number, place: number, isUnchanged: (row: number) => boolean): void {
    const { rows, links } = this.#records;
    const columns = this.#columns;
    // Destructured once, outside the loop.
    const { fee, modifiedFee, size, weight, sigopCost, lockTime, segment, offset, length } = rows;
    const { ancestorCount, ancestorSize, ancestorFees, ancestorSigops } = rows;
    for (let i = from, at = place * ROW_LENGTH; i < end; i++, at += ROW_LENGTH) {
      const row = list[i];
      if (!isUnchanged(row)) {
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
