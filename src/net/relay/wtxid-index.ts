// Mempool entries by wtxid, which is how peers name them (BIP-0339), and all of them for compact blocks: the mempool's
// own table and rows.
import type { MempoolEntry, StoredTx } from '../../mempool/entry.js';
import type { Mempool } from '../../mempool/mempool.js';
import { NO_ROW } from '../../mempool/rows.js';

/** Transactions looked at between pauses. */
const ROWS_PER_STEP = 256;

export class WtxidIndex {
  readonly #mempool: Mempool;

  constructor(mempool: Mempool) {
    this.#mempool = mempool;
  }

  /** A view, to be read at once. */
  get(wtxid: Uint8Array): MempoolEntry | undefined {
    return this.#mempool.getByWtxid(wtxid);
  }

  has(wtxid: Uint8Array): boolean {
    return this.#mempool.records.findWitness(wtxid) !== NO_ROW;
  }

  /**
   * Every transaction of the mempool, with a pause after a few hundred; those that leave meanwhile are passed over.
   * @param wanted told where a wtxid lies: 32 bytes from `at` on, to be read at once; says what it is to the caller,
   * undefined for nothing
   * @param found what was wanted, and for what
   */
  *search<T>(wanted: (bytes: Uint8Array, at: number) => T | undefined, found: (tx: StoredTx, what: T) => void): Generator<void> {
    const { records } = this.#mempool;
    const { rows, arena } = records;
    let checked = 0;
    for (const row of rows.here()) {
      if (!rows.isHere(row)) continue;
      const what = wanted(arena.bytesOf(row), records.wtxidAt(row));
      if (what !== undefined) found(records.stored(row), what);
      if (++checked % ROWS_PER_STEP === 0) yield;
    }
  }
}
