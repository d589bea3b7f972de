// Table from outpoint to the row that spends it. Keys are not copied: a slot refers to the outpoint in the spender's
// record.
import { readU32 } from '../consensus/bytes/reader.js';
import { OpenTable, sameBytes } from './open-table.js';
import type { RecordArena } from './record-arena.js';
import type { Rows } from './rows.js';

const OUTPOINT_BYTES = 36;

export class SpenderTable extends OpenTable {
  readonly #rows: Rows;
  readonly #arena: RecordArena;

  constructor(rows: Rows, arena: RecordArena) {
    super(true);
    this.#rows = rows;
    this.#arena = arena;
  }

  /**
   * Returns the row that spends an outpoint; NO_ROW if no mempool transaction does.
   * @param outpoint 36 bytes at `at`
   */
  get(outpoint: Uint8Array, at = 0): number {
    return this.findRow(this.hash(outpoint, at, readU32(outpoint, at + 32)), outpoint, at);
  }

  /**
   * Sets the spender of an outpoint. The row's record must be in the arena.
   * @param position offset of the outpoint in the record
   */
  add(row: number, position: number): void {
    const bytes = this.#arena.bytesOf(row);
    const at = this.#rows.offset[row] + position;
    this.putRow(this.hash(bytes, at, readU32(bytes, at + 32)), bytes, at, row, position);
  }

  /** Removes an outpoint if this row spends it. */
  delete(row: number, position: number): void {
    const bytes = this.#arena.bytesOf(row);
    const at = this.#rows.offset[row] + position;
    this.dropRow(this.hash(bytes, at, readU32(bytes, at + 32)), bytes, at, row);
  }

  protected override same(row: number, position: number, key: Uint8Array, at: number): boolean {
    return sameBytes(this.#arena.bytesOf(row), this.#rows.offset[row] + position, key, at, OUTPOINT_BYTES);
  }
}
