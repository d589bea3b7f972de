// The Store over RocksDB with either binding. Adds typed errors, refuses calls after close, and lets close wait for
// calls in progress and close open cursors. Without this the bindings may crash the process.

import { SerialQueue } from '../lib/serial-queue.js';
import { type EngineCursor, type EngineDb, type EngineName, fromEngineError } from './engine.js';
import { type Batch, type BatchOptions, iterateCursor, type Store, type StoreCursor, type StoreEntry, type StoreRange } from './store.js';
import { StoreError } from './store-error.js';
import { SYNC_MARK } from './write-ahead-log.js';
import { assertWriting } from './write-stop.js';

/** Number of entries per chunk by default. */
const DEFAULT_CHUNK = 1000;

class RocksCursor implements StoreCursor {
  #left: number;
  #closing: Promise<void> | null = null;
  /** Queue of calls, because the binding supports only one at a time for a cursor. */
  readonly #calls = new SerialQueue();
  readonly #store: RocksStore;
  readonly #native: EngineCursor;

  constructor(store: RocksStore, native: EngineCursor, limit: number | undefined) {
    this.#store = store;
    this.#native = native;
    this.#left = limit ?? Number.POSITIVE_INFINITY;
  }

  next(max: number = DEFAULT_CHUNK): Promise<StoreEntry[]> {
    return this.#calls.run(async () => {
      if (this.#closing !== null) throw new StoreError('STORE_CLOSED', 'The cursor is closed');
      const count = Math.min(max, this.#left);
      if (count <= 0) return [];
      const entries = await this.#store.run('read a range', () => this.#native.next(count));
      this.#left -= entries.length;
      return entries;
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#calls.run(async () => {
      this.#store.forgetCursor(this);
      try {
        await this.#native.close();
      } catch (error) {
        throw fromEngineError(error, 'close a cursor');
      }
    });
    return this.#closing;
  }
}

/** A Store in a RocksDB folder, created by openStore. */
export class RocksStore implements Store {
  readonly #cursors = new Set<RocksCursor>();
  #running = 0;
  #onIdle: (() => void) | null = null;
  #closing: Promise<void> | null = null;
  readonly #db: EngineDb;
  /** Called when the database is closed and may be opened again. */
  readonly #onClosed: () => void;

  constructor(
    readonly engine: EngineName,
    db: EngineDb,
    onClosed: () => void,
  ) {
    this.#db = db;
    this.#onClosed = onClosed;
  }

  /**
   * Runs a call of the binding. Counts the call so that close can wait for it, refuses it after close, and translates
   * its error.
   */
  async run<T>(doing: string, call: () => Promise<T>): Promise<T> {
    if (this.#closing !== null) throw new StoreError('STORE_CLOSED', `Cannot ${doing}: the store is closed`);
    this.#running++;
    try {
      return await call();
    } catch (error) {
      throw fromEngineError(error, doing);
    } finally {
      this.#running--;
      if (this.#running === 0 && this.#onIdle !== null) this.#onIdle();
    }
  }

  async get(key: Uint8Array): Promise<Uint8Array | undefined> {
    return (await this.getMany([key]))[0];
  }

  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    if (keys.length === 0) return Promise.resolve([]);
    return this.run('read keys', () => this.#db.getMany(keys));
  }

  batch(ops: Batch, options: BatchOptions = {}): Promise<void> {
    return this.run('write a batch', async () => {
      const { length } = ops;
      const { sync = false, alone = false } = options;
      if (length > 0 || sync) assertWriting('write a batch');
      if (length > 0) await this.#db.write(ops, false, alone);
      if (sync) await this.#db.write(SYNC_MARK, true, alone);
    });
  }

  clear(gte: Uint8Array, lt: Uint8Array): Promise<void> {
    return this.run('remove a range', async () => {
      assertWriting('remove a range');
      await this.#db.clear(gte, lt);
    });
  }

  cursor(range: StoreRange = {}): StoreCursor {
    if (this.#closing !== null) throw new StoreError('STORE_CLOSED', 'Cannot open a cursor: the store is closed');
    let native: EngineCursor;
    try {
      native = this.#db.cursor({ gte: range.gte, lt: range.lt, reverse: range.reverse === true });
    } catch (error) {
      throw fromEngineError(error, 'open a cursor');
    }
    const cursor = new RocksCursor(this, native, range.limit);
    this.#cursors.add(cursor);
    return cursor;
  }

  iterate(range: StoreRange = {}): AsyncIterable<StoreEntry> {
    return iterateCursor(() => this.cursor(range));
  }

  /**
   * Lends the open database to another thread, by its handle (openNxteditionReader). close() waits for the work.
   * @returns null if the binding cannot share a database
   */
  lend<T>(work: (handle: bigint) => Promise<T>): Promise<T> | null {
    const { handle } = this.#db;
    return handle === null ? null : this.run('lend the database', () => work(handle));
  }

  /** Drops a closed cursor. Called by the cursor. */
  forgetCursor(cursor: RocksCursor): void {
    this.#cursors.delete(cursor);
  }

  approximateSize(gte: Uint8Array, lt: Uint8Array): Promise<number> {
    return this.run('estimate a size', () => this.#db.approximateSize(gte, lt));
  }

  memoryBytes(): number {
    if (this.#closing !== null) return 0;
    const properties = ['size-all-mem-tables', 'block-cache-usage', 'estimate-table-readers-mem'];
    return properties.reduce((sum, name) => sum + (Number(this.#db.property(`rocksdb.${name}`)) || 0), 0);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #shut(): Promise<void> {
    // Wait for one tick: `closing` is set when the first await suspends, and new calls are refused from then on.
    await Promise.resolve();
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await Promise.all([...this.#cursors].map((cursor) => cursor.close()));
    try {
      await this.#db.close();
    } catch (error) {
      throw fromEngineError(error, 'close the database');
    }
    this.#onClosed();
  }
}
