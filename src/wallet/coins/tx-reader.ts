// Reads the transactions of records. Transactions that are not in the best chain are in memory, the others on disk. A
// cache has recently read transactions, because clients ask for the newest payments again until they have many
// confirmations.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { TxTable } from './tx-table.js';

/** Memory for cached transactions; and the size above which one transaction is not cached. Both in bytes. */
const MOST_BYTES = 16 * 1024 * 1024;
const LARGEST_BYTES = 4096;
/** Memory of a parsed transaction in addition to its bytes. */
const VIEW_BYTES = 700;

export interface TxReaderDeps {
  readonly txs: TxTable;
  /** Reads values by key, after all earlier writes have finished. */
  readonly read: (keys: readonly Uint8Array[]) => Promise<readonly (Uint8Array | undefined)[]>;
  /** Parses a transaction. @param bytes belong to the result from then on */
  readonly parse: (bytes: Uint8Array) => TxView;
}

export class TxReader {
  /**
   * Cached transactions in two generations. When the younger one is full, it replaces the older one. A row number is
   * never reused for another transaction.
   */
  #young = new Map<number, TxView>();
  #old = new Map<number, TxView>();
  #youngBytes = 0;
  readonly #deps: TxReaderDeps;

  constructor(deps: TxReaderDeps) {
    this.#deps = deps;
  }

  /** Returns the transaction of a row: synchronously if it is in memory, otherwise as a promise. */
  readOne(row: number): TxView | Promise<TxView | undefined> {
    return this.#cachedView(row) ?? this.readMany([row]).then(([tx]) => tx);
  }

  /** Returns transactions in the order of the rows; undefined for rows that are not needed or not on disk. */
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
  /** Drops a row from the cache, because its bytes have changed. */
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
