// Changed coins of the cache, which differ from the database until they are written.

import type { CoinSpace } from '../../storage/layout.js';
import type { WriteBatch } from '../../storage/write-batch.js';
import type { CoinTable } from './coin-table.js';
import { LIST } from './entry-list.js';

export interface DirtyCoinsDeps {
  readonly table: CoinTable;
  /** Returns the set of coins to write. */
  readonly space: () => CoinSpace;
  /** Applies a deferred change. */
  readonly catchUp: () => void;
  /** Finishes a shown change, and throws while a change is being made. */
  readonly finishOrRefuse: () => void;
}

/** Entries that differ from the database, including entries that are being flushed. */
export class DirtyCoins {
  readonly #deps: DirtyCoinsDeps;

  constructor(deps: DirtyCoinsDeps) {
    this.#deps = deps;
  }

  /** Number of entries. */
  get entries(): number {
    this.#deps.catchUp();
    return this.entriesNow;
  }

  /** Number of entries without those of a deferred change. */
  get entriesNow(): number {
    const { table } = this.#deps;
    return table.count(LIST.dirty) + table.count(LIST.flushing);
  }

  /** Bytes of the entries. */
  get bytes(): number {
    this.#deps.catchUp();
    const { table } = this.#deps;
    return table.bytesOn(LIST.dirty) + table.bytesOn(LIST.flushing);
  }

  /**
   * Adds writes to a batch for at most `limit` entries, oldest first. The entries stay in memory as "flushing" until
   * markClean or markFailed. An entry that changes during the flush is dirty again.
   * @returns number of writes added
   */
  drain(limit: number, batch: WriteBatch): number {
    this.#deps.finishOrRefuse();
    return this.#deps.table.drain(limit, batch, this.#deps.space());
  }

  /** Marks all drained entries as written to the database. */
  markClean(): void {
    this.#deps.table.endFlush(true);
  }

  /** Called when writing failed: marks all drained entries as dirty again, except those that were marked clean. */
  markFailed(): void {
    this.#deps.table.endFlush(false);
  }
}
