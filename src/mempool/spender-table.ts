// Who spends an outpoint. A key is the outpoint as it stands in the spender's own bytes. Used by tx-pool.ts.
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

  /** @param outpoint 36 bytes at `at` @returns NO_ROW when no transaction of the pool spends it */
  get(outpoint: Uint8Array, at = 0): number {
    return this.findRow(this.hash(outpoint, at, readU32(outpoint, at + 32)), outpoint, at);
  }

  /**
   * The row's record is in the arena; the outpoint stands so far from the record's beginning. Replaces who spent it
   * before.
   */
  add(row: number, position: number): void {
    const bytes = this.#arena.bytesOf(row);
    const at = this.#rows.offset[row] + position;
    this.putRow(this.hash(bytes, at, readU32(bytes, at + 32)), bytes, at, row, position);
  }

  /** Forgets an outpoint if it is this row that spends it. */
  delete(row: number, position: number): void {
    const bytes = this.#arena.bytesOf(row);
    const at = this.#rows.offset[row] + position;
    this.dropRow(this.hash(bytes, at, readU32(bytes, at + 32)), bytes, at, row);
  }

  protected override same(row: number, position: number, key: Uint8Array, at: number): boolean {
    return sameBytes(this.#arena.bytesOf(row), this.#rows.offset[row] + position, key, at, OUTPOINT_BYTES);
  }
}
