// Tables from txid or wtxid to row. Both ids are at the start of a row's record.
import { OpenTable, sameBytes } from './open-table.js';
import type { RecordArena } from './record-arena.js';
import { NO_ROW, type Rows } from './rows.js';

export const ID_BYTES = 32;

export class IdTable extends OpenTable {
  readonly #rows: Rows;
  readonly #arena: RecordArena;
  readonly #idAt: number;

  /** @param idAt offset of the id in a record */
  constructor(rows: Rows, arena: RecordArena, idAt: number) {
    super(false);
    this.#rows = rows;
    this.#arena = arena;
    this.#idAt = idAt;
  }

  /**
   * @param id 32 bytes at `at`, internal order
   * @returns NO_ROW if it is not in the table
   */
  get(id: Uint8Array, at = 0): number {
    return id.length < at + ID_BYTES ? NO_ROW : this.findRow(this.hash(id, at, 0), id, at);
  }

  /** Adds a row. Its record must be in the arena. */
  add(row: number): void {
    const bytes = this.#arena.bytesOf(row);
    const at = this.#rows.offset[row] + this.#idAt;
    this.putRow(this.hash(bytes, at, 0), bytes, at, row, 0);
  }

  delete(row: number): void {
    const bytes = this.#arena.bytesOf(row);
    const at = this.#rows.offset[row] + this.#idAt;
    this.dropRow(this.hash(bytes, at, 0), bytes, at, row);
  }

  protected override same(row: number, _mark: number, key: Uint8Array, at: number): boolean {
    return sameBytes(this.#arena.bytesOf(row), this.#rows.offset[row] + this.#idAt, key, at, ID_BYTES);
  }
}
