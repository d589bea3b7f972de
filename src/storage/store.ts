// What the rest of adit knows of a database: ordered keys, atomic batches, consistent cursors. RocksStore and
// MemoryStore implement it; test/unit/storage/store-suite.ts is the contract in executable form.

/** One write of a batch. Key and value are read before `batch` returns; the caller may reuse them afterwards. */
export type BatchOp =
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: Uint8Array };

/** Operations in their order: an array, or a WriteBatch, which a store uses up. */
export interface Batch extends Iterable<BatchOp> {
  readonly length: number;
}

/** A key and its value. */
export type StoreEntry = [key: Uint8Array, value: Uint8Array];

/** A range of keys in byte order: gte <= key < lt, at most `limit` of them, from the end when `reverse`. */
export interface StoreRange {
  readonly gte?: Uint8Array;
  readonly lt?: Uint8Array;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** Durability of a batch, and what waits for it. */
export interface BatchOptions {
  /** Wait until the disk has it (fsync). Without it the batch survives the death of the process, not of the machine. */
  readonly sync?: boolean;
  /** Nothing else waits for the calling thread, as before a node serves and after: no other one is started for this. */
  readonly alone?: boolean;
}

/** A position in a range, over the state of the store at the moment the cursor was opened. */
export interface StoreCursor {
  /** The next entries, at most `max` (1,000) of them and of bounded bytes; an empty list means the end. */
  next(max?: number): Promise<StoreEntry[]>;
  /** Frees the view. Safe to call twice; `Store.close` closes what was left open. */
  close(): Promise<void>;
}

/** Ordered keys and values. Keys hold at least one byte; values may be empty. Every failure is a StoreError. */
export interface Store {
  /** Name of the engine, as in the ENGINE file. */
  readonly engine: string;
  get(key: Uint8Array): Promise<Uint8Array | undefined>;
  /** Values in the order of the keys; undefined where a key does not exist. */
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]>;
  /** Writes all or nothing. Later operations on one key win. Batches take effect in the order of the calls. */
  batch(ops: Batch, options?: BatchOptions): Promise<void>;
  /**
   * Removes every key of a range, both bounds given. Not atomic on every engine: a process that dies meanwhile leaves
   * some of them. Cursors opened before still see all. Survives the death of the process when this resolves.
   */
  clear(gte: Uint8Array, lt: Uint8Array): Promise<void>;
  /** Opens a consistent view now (synchronously). */
  cursor(range?: StoreRange): StoreCursor;
  /** Entries of a consistent view, opened when the first entry is asked for and closed when the loop ends. */
  iterate(range?: StoreRange): AsyncIterable<StoreEntry>;
  /** Bytes on disk of a key range, roughly; 0 when the engine cannot tell. */
  approximateSize(gte: Uint8Array, lt: Uint8Array): Promise<number>;
  /** Memory of memtables, cached blocks, and filters and indexes of tables; bounded but for those. */
  memoryBytes(): number;
  /**
   * Waits for what is under way, then frees the folder. Later calls fail with STORE_CLOSED; a second close does
   * nothing.
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
