// Looks up mempool transactions by wtxid, which is how peers name them (BIP-0339), and walks through all of them for
// compact blocks. Uses the mempool's own tables.
import type { Wtxid } from '../../consensus/ids.js';
import { type Mempool, type MempoolEntry, NO_ROW, type StoredTx } from '../../mempool/index.js';

/** Transactions visited between pauses. */
const ROWS_PER_STEP = 256;

export class WtxidIndex {
  readonly #mempool: Mempool;

  constructor(mempool: Mempool) {
    this.#mempool = mempool;
  }

  /** Returns a view, to be read before the mempool changes. */
  get(wtxid: Wtxid): MempoolEntry | undefined {
    return this.#mempool.getByWtxid(wtxid);
  }

  has(wtxid: Wtxid): boolean {
    return this.#mempool.records.findWitness(wtxid) !== NO_ROW;
  }

  /**
   * Visits every transaction of the mempool and pauses after a few hundred. Skips transactions that leave the mempool
   * meanwhile.
   * @param wanted called with the position of each wtxid: 32 bytes from `at`, which it must read before it returns.
   * Returns a value of the caller's choice for a wanted transaction, otherwise undefined
   * @param found called with each wanted transaction and the value that `wanted` returned for it
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
