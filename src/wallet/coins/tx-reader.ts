// Transactions of records: those in no block are in memory, others on disk, and what was read lately is kept, because
// calls come back to the newest payments until they are buried.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { TxTable } from './tx-table.js';

/** Bytes of memory for transactions that are kept, and of one above which it is not worth the place. */
const MOST_BYTES = 16 * 1024 * 1024;
const LARGEST_BYTES = 4096;
/** What a view takes beside the transaction's bytes. */
const VIEW_BYTES = 700;

export interface TxReaderDeps {
  readonly txs: TxTable;
  /** Values by key, once everything written before is there. */
  readonly read: (keys: readonly Uint8Array[]) => Promise<readonly (Uint8Array | undefined)[]>;
  /** @param bytes its own */
  readonly parse: (bytes: Uint8Array) => TxView;
}

export class TxReader {
  /**
   * The newer half of what was read lately, and what was new before it. Rows are never used again for another
   * transaction.
   */
  #young = new Map<number, TxView>();
  #old = new Map<number, TxView>();
  #youngBytes = 0;
  readonly #deps: TxReaderDeps;

  constructor(deps: TxReaderDeps) {
    this.#deps = deps;
  }

  /** The transaction, at once when it is in memory. */
  readOne(row: number): TxView | Promise<TxView | undefined> {
    return this.#cachedView(row) ?? this.readMany([row]).then(([tx]) => tx);
  }

  /** In the order of the rows; those that are not needed, or not on disk, are undefined. */
  async readMany(rows: readonly number[], needed?: (row: number) => boolean): Promise<(TxView | undefined)[]> {
    const { txs, read, parse } = this.#deps;
    const found: (TxView | undefined)[] = new Array(rows.length);
    const missing: number[] = [];
    for (let i = 0; i < rows.length; i++) {
      if (needed && !needed(rows[i])) continue;
      found[i] = this.#cachedView(rows[i]);
      if (found[i] === undefined) missing.push(i);
    }
    if (missing.length === 0) return found;
    const values = await read(missing.map((i) => txs.bytesKey(rows[i])));
    values.forEach((bytes, at) => {
      if (!bytes) return;
      const view = parse(new Uint8Array(bytes));
      found[missing[at]] = view;
      if (!txs.hasWtxid(rows[missing[at]])) txs.setWtxid(rows[missing[at]], view.wtxid);
      this.#cacheView(rows[missing[at]], view);
    });
    return found;
  }
  /** Its bytes changed. */
  evictRow(row: number): void {
    this.#young.delete(row);
    this.#old.delete(row);
  }

  #cachedView(row: number): TxView | undefined {
    return this.#deps.txs.inMemory(row) ?? this.#young.get(row) ?? this.#old.get(row);
  }
  #cacheView(row: number, view: TxView): void {
    if (view.totalSize > LARGEST_BYTES) return;
    if (this.#youngBytes >= MOST_BYTES / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(row, view);
    this.#youngBytes += view.totalSize + VIEW_BYTES;
  }
}
