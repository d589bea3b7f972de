// Copies the states of records at one moment. Long replies wait for bytes of transactions, and blocks may arrive meanwhile.
// With a copy, a reply does not mix two tips.
import type { Ledger } from './ledger.js';
import type { TxState } from './tx-table.js';

const COLUMNS = 5;

export class RecordSnapshot {
  readonly tipHeight: number;
  readonly rows: Int32Array;
  /** Depth, state, height, position and block id of each record, five numbers per record. */
  readonly #facts: Int32Array;

  /** Copies the states of these rows of ledger.txs. */
  constructor(ledger: Ledger, rows: Int32Array | readonly number[]) {
    const { txs } = ledger;
    this.rows = rows instanceof Int32Array ? rows : Int32Array.from(rows);
    this.tipHeight = ledger.tipHeight;
    this.#facts = new Int32Array(rows.length * COLUMNS);
    for (let i = 0, at = 0; i < rows.length; i++, at += COLUMNS) {
      const row = rows[i];
      this.#facts[at] = ledger.depth(row);
      this.#facts[at + 1] = txs.state(row);
      this.#facts[at + 2] = txs.height(row);
      this.#facts[at + 3] = txs.position(row);
      this.#facts[at + 4] = txs.blockId(row);
    }
  }
  get size(): number {
    return this.rows.length;
  }
  /** Returns the confirmations of a record: 0 if unconfirmed, negative if conflicted. */
  depth(i: number): number {
    return this.#facts[i * COLUMNS];
  }
  state(i: number): TxState {
    return this.#facts[i * COLUMNS + 1] as TxState;
  }
  height(i: number): number {
    return this.#facts[i * COLUMNS + 2];
  }
  /** Returns the position of a transaction in its block. */
  position(i: number): number {
    return this.#facts[i * COLUMNS + 3];
  }
  /** Returns the block id, for TxTable.block(). */
  blockId(i: number): number {
    return this.#facts[i * COLUMNS + 4];
  }
}
