// Where records stood at one moment: a long answer is written in turns between which blocks may come, and must not mix two tips.
import type { Ledger } from './ledger.js';
import type { TxState } from './tx-table.js';

export class RecordPin {
  readonly tipHeight: number;
  readonly #depths: Int32Array;
  readonly #states: Uint8Array;
  readonly #heights: Int32Array;
  readonly #positions: Int32Array;
  readonly #blocks: Int32Array;

  /** @param rows of ledger.txs */
  constructor(
    ledger: Ledger,
    readonly rows: Int32Array | readonly number[],
  ) {
    const { txs } = ledger;
    const count = rows.length;
    this.tipHeight = ledger.tipHeight;
    this.#depths = new Int32Array(count);
    this.#states = new Uint8Array(count);
    this.#heights = new Int32Array(count);
    this.#positions = new Int32Array(count);
    this.#blocks = new Int32Array(count);
    for (let i = 0; i < count; i++) {
      const row = rows[i];
      this.#depths[i] = ledger.depth(row);
      this.#states[i] = txs.state(row);
      this.#heights[i] = txs.height(row);
      this.#positions[i] = txs.position(row);
      this.#blocks[i] = txs.blockId(row);
    }
  }
  get size(): number {
    return this.rows.length;
  }
  /** Confirmations; 0 outside of blocks, negative for conflicts. */
  depth(i: number): number {
    return this.#depths[i];
  }
  state(i: number): TxState {
    return this.#states[i] as TxState;
  }
  height(i: number): number {
    return this.#heights[i];
  }
  /** Place in the block. */
  position(i: number): number {
    return this.#positions[i];
  }
  /** For TxTable.block(). */
  blockId(i: number): number {
    return this.#blocks[i];
  }
}
