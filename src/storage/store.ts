// Interface of a database: ordered keys, atomic batches, consistent cursors. RocksStore and MemoryStore implement it;
// the tests in test/unit/storage/store-suite.ts define the behaviour that both must have.

/** A write of a batch. Key and value are read before `batch` returns; the caller may reuse them afterwards. */
export type BatchOp =
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: Uint8Array };

/** Operations in order: an array, or a WriteBatch, which cannot be used again afterwards. */
export interface Batch extends Iterable<BatchOp> {
  readonly length: number;
}

export type StoreEntry = [key: Uint8Array, value: Uint8Array];

/** A range of keys in byte order: gte <= key < lt, at most `limit` of them, from the end when `reverse`. */
export interface StoreRange {
  readonly gte?: Uint8Array;
  readonly lt?: Uint8Array;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** Durability of a batch, and which thread may write it. */
export interface BatchOptions {
  /**
   * Wait until the batch is on the disk (fsync). Without this, a batch survives the death of the process but not of the machine.
   */
  readonly sync?: boolean;
  /**
   * True if the calling thread has no other work that the write could delay, as during the start and the stop of a
   * node. The storage thread is then not started for this batch.
   */
  readonly alone?: boolean;
}

/** A position in a range of rows. The cursor reads the rows as they were when it was opened. */
export interface StoreCursor {
  /** Reads the next entries: at most `max` (1,000) and of limited size. An empty list means the end. */
  next(max?: number): Promise<StoreEntry[]>;
  /** Closes the cursor. Safe to call twice. `Store.close` closes cursors that are still open. */
  close(): Promise<void>;
}

/**
 * A store of ordered keys and values. Keys have at least one byte; values may be empty. Every failure is a StoreError.
 */
export interface Store {
  /** Name of the engine, as in the ENGINE file. */
  readonly engine: string;
  get(key: Uint8Array): Promise<Uint8Array | undefined>;
  /** Returns values in the order of the keys; undefined for missing keys. */
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]>;
  /** Writes all operations or none. The last operation on a key wins. Batches take effect in the order of the calls. */
  batch(ops: Batch, options?: BatchOptions): Promise<void>;
  /**
   * Deletes all keys gte <= key < lt. Not atomic on every engine: if the process dies during the call, some keys
   * remain. Cursors that were opened before still read the deleted rows. Once this resolves, the deletion survives the
   * death of the process.
   */
  clear(gte: Uint8Array, lt: Uint8Array): Promise<void>;
  /** Opens a cursor over the current state, synchronously. */
  cursor(range?: StoreRange): StoreCursor;
  /** Iterates over the rows as they were when the loop began. The cursor is closed when the loop ends. */
  iterate(range?: StoreRange): AsyncIterable<StoreEntry>;
  /** Estimates the bytes on disk of a key range; 0 if the engine cannot tell. */
  approximateSize(gte: Uint8Array, lt: Uint8Array): Promise<number>;
  /**
   * Memory in bytes of memtables, cached blocks, and filters and indexes of tables. Only filters and indexes have no
   * upper limit.
   */
  memoryBytes(): number;
  /**
   * Waits for running calls, then closes the folder. Later calls fail with STORE_CLOSED; a second close does nothing.
   */
  close(): Promise<void>;
}

/** Loops over a cursor entry by entry and closes it in every case. */
export async function* iterateCursor(open: () => StoreCursor): AsyncGenerator<StoreEntry, void, undefined> {
  const cursor = open();
  try {
    for (;;) {
      const entries = await cursor.next();
      if (entries.length === 0) return;
      yield* entries;
    }
  } finally {
    await cursor.close();
  }
}
