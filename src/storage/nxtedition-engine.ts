// The newer RocksDB binding, @nxtedition/rocksdb 12: an optional dependency with prebuilt binaries for few platforms.
//
// Properties of the binding: it writes batches on the calling thread, even in methods that seem asynchronous. So large
// batches go to the storage thread, which opens the database by its handle. Closing a database by its handle closes it
// for all threads. Reads of many keys run in libuv's pool; reads of single keys are faster on the calling thread. An
// error in a pooled getMany is an uncaught exception, and its promise never settles. So corruption found by such a read
// stops the node, which is the intended reaction.

import { createRequire } from 'node:module';
import type { MessagePort } from 'node:worker_threads';
import { copyBytes } from '../consensus/bytes/writer.js';
import {
  asBuffer,
  type Engine,
  type EngineCursor,
  type EngineDb,
  type EngineOptions,
  type EngineRange,
  fromEngineError,
} from './engine.js';
import { SharingWriter } from './sharing-writer.js';
import type { Batch, StoreCursor, StoreEntry, StoreRange } from './store.js';
import { WriteBatch } from './write-batch.js';
import { type BatchWriter, serveWrites, WriteThread } from './write-thread.js';

/**
 * Number of keys up to which the calling thread reads them itself: 4 us per key from memory, while a task of the pool
 * costs about 25 us.
 */
const SYNC_KEYS = 4;
/**
 * Number of keys per task of the pool, so that a block's inputs are spread evenly over its threads. With 1,024, most of
 * 16 threads would be idle.
 */
const POOL_KEYS = 64;
/**
 * Number of operations from which the storage thread writes a batch. Writing so many takes about 40 ms on the calling
 * thread; transferring them takes a tenth of that.
 */
const LARGE_BATCH = 20_000;
/** Number of entries that a reader's cursor returns by default. */
const DEFAULT_CHUNK = 1000;
/** Number of bytes after which a cursor returns its entries. */
const CURSOR_BYTES = 1 << 20;
/**
 * Size in bytes up to which V8 stores arrays in its heap. Passing such an array to the binding moves it out of the
 * heap, which takes longer than the put itself.
 */
const SMALL_BYTES = 64;

interface NativeBatch {
  _put(key: Uint8Array, value: Uint8Array): void;
  _del(key: Uint8Array): void;
  _writeSync(options: { sync: boolean }): void;
  _closeSync(): void;
}

interface NativeIterator {
  _nextvAsync(size: number, options: object): Promise<{ rows: Uint8Array[]; finished: boolean }>;
  _nextvSync(size: number, options: object): { rows: Uint8Array[]; finished: boolean };
  close(): Promise<void>;
}

interface NativeDb {
  readonly handle: bigint;
  open(options: object): Promise<void>;
  close(): Promise<void>;
  _getManySync(keys: readonly Uint8Array[], options: object): (Uint8Array | undefined | null)[];
  _getManyAsync(keys: readonly Uint8Array[], options: object): Promise<(Uint8Array | undefined | null)[]>;
  _chainedBatch(): NativeBatch;
  _clear(options: object): Promise<void>;
  iterator(options: object): NativeIterator;
  getProperty(name: string): string;
}

class NxteditionCursor implements EngineCursor {
  #finished = false;
  protected readonly native: NativeIterator;

  constructor(native: NativeIterator) {
    this.native = native;
  }

  async next(max: number): Promise<StoreEntry[]> {
    if (this.#finished) return [];
    const { rows, finished } = await this.read(max);
    this.#finished = finished;
    const entries: StoreEntry[] = [];
    for (let i = 0; i + 1 < rows.length; i += 2) entries.push([rows[i], rows[i + 1]]);
    return entries;
  }

  protected read(max: number): Promise<{ rows: Uint8Array[]; finished: boolean }> | { rows: Uint8Array[]; finished: boolean } {
    return this.native._nextvAsync(max, {});
  }

  async close(): Promise<void> {
    await this.native.close();
  }
}

/** A cursor that reads on the calling thread, so that the end of this thread never meets a read in progress. */
class BlockingCursor extends NxteditionCursor {
  protected override read(max: number): { rows: Uint8Array[]; finished: boolean } {
    return this.native._nextvSync(max, {});
  }
}

function iteratorOptions(range: EngineRange): object {
  const options: Record<string, unknown> = {
    reverse: range.reverse,
    keyEncoding: 'buffer',
    valueEncoding: 'buffer',
    highWaterMarkBytes: CURSOR_BYTES,
  };
  if (range.gte !== undefined) options.gte = asBuffer(range.gte);
  if (range.lt !== undefined) options.lt = asBuffer(range.lt);
  return options;
}

/**
 * Passes small arrays to the binding through memory outside V8's heap. The binding copies them before a put returns.
 */
class Window {
  readonly #memory = new Uint8Array(new ArrayBuffer(SMALL_BYTES));
  readonly #views = Array.from({ length: SMALL_BYTES + 1 }, (_, size) => this.#memory.subarray(0, size));

  /** Returns bytes[at..at+length), valid until the next call. */
  through(bytes: Uint8Array, at: number, length: number): Uint8Array {
    if (length > SMALL_BYTES) return bytes.subarray(at, at + length);
    copyBytes(bytes, at, this.#memory, 0, length);
    return this.#views[length];
  }
  /** Overwrites the memory with zeros, because some values are secret. */
  wipe(): void {
    this.#memory.fill(0);
  }
}

const keyWindow = new Window();
const valueWindow = new Window();

/** Writes on the calling thread. */
class CallingWriter implements BatchWriter {
  readonly #native: NativeDb;

  constructor(native: NativeDb) {
    this.#native = native;
  }

  async write(batch: WriteBatch, sync: boolean): Promise<void> {
    const { bytes } = batch;
    let native: NativeBatch | null = null;
    try {
      native = this.#native._chainedBatch();
      // Write the keys in order: a memtable inserts a key much faster next to the previous key.
      for (const keyAt of batch.inOrder()) {
        const keyLength = batch.keyLength(keyAt);
        const valueLength = batch.valueLength(keyAt);
        const key = keyWindow.through(bytes, keyAt, keyLength);
        if (valueLength < 0) native._del(key);
        else native._put(key, valueWindow.through(bytes, keyAt + keyLength, valueLength));
      }
      native._writeSync({ sync });
    } finally {
      native?._closeSync();
      valueWindow.wipe();
      batch.useUp();
    }
  }

  /** Writes one tombstone for the whole range. Compaction shrinks the files later. */
  async clear(gte: Uint8Array, lt: Uint8Array): Promise<void> {
    if (asBuffer(gte).compare(asBuffer(lt)) < 0) await this.#native._clear({ gte: asBuffer(gte), lt: asBuffer(lt) });
  }

  async close(): Promise<void> {}
}

/** The storage thread of all databases that this thread has open. */
const writeThread = new WriteThread();

class NxteditionDb implements EngineDb {
  readonly #native: NativeDb;
  readonly #writer: SharingWriter;

  constructor(native: NativeDb, writer: SharingWriter) {
    this.#native = native;
    this.#writer = writer;
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const values = keys.length <= SYNC_KEYS ? this.#native._getManySync(keys, {}) : await this.#readInPool(keys);
    // null means that the read hit a limit of size or time. No limit is set, so it is an error; it must not count as an
    // absent key.
    if (values.includes(null)) throw new Error('IO error: read was aborted');
    return values as (Uint8Array | undefined)[];
  }

  async #readInPool(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined | null)[]> {
    const parts: Promise<(Uint8Array | undefined | null)[]>[] = [];
    for (let i = 0; i < keys.length; i += POOL_KEYS) parts.push(this.#native._getManyAsync(keys.slice(i, i + POOL_KEYS), {}));
    return parts.length === 1 ? parts[0] : (await Promise.all(parts)).flat();
  }

  get handle(): bigint {
    return this.#native.handle;
  }

  write(ops: Batch, sync: boolean, alone: boolean): Promise<void> {
    return this.#writer.write(WriteBatch.of(ops), sync, alone);
  }

  clear(gte: Uint8Array, lt: Uint8Array): Promise<void> {
    return this.#writer.clear(gte, lt);
  }

  cursor(range: EngineRange): EngineCursor {
    return new NxteditionCursor(this.#native.iterator(iteratorOptions(range)));
  }

  /** Returns the size of the whole database, because the binding cannot measure ranges. Nearly all rows are coins. */
  async approximateSize(): Promise<number> {
    const files = Number(this.property('rocksdb.estimate-live-data-size'));
    const memory = Number(this.property('rocksdb.cur-size-active-mem-table'));
    return (Number.isFinite(files) ? files : 0) + (Number.isFinite(memory) ? memory : 0);
  }

  property(name: string): string {
    return this.#native.getProperty(name);
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#native.close();
  }
}

type DbClass = new (pathOrHandle: string | bigint, options: object) => NativeDb;

const loadBinding = (): DbClass => createRequire(import.meta.url)('@nxtedition/rocksdb').RocksLevel;
const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' };

/** Runs the storage thread: writes to databases that another thread has opened, until that thread ends it. */
export function serveNxteditionWrites(port: MessagePort): void {
  const Db = loadBinding();
  serveWrites(async (handle) => {
    const native = new Db(handle, BYTES);
    await native.open({});
    return new CallingWriter(native);
  }, port);
}

/**
 * Opens a database that another thread has open, to read it. That thread must not close it before every cursor is closed.
 * @returns function that opens a cursor, whose reads block this thread
 */
export async function openNxteditionReader(handle: bigint): Promise<(range: StoreRange) => StoreCursor> {
  const Db = loadBinding();
  const native = new Db(handle, BYTES);
  await native.open({});
  return ({ gte, lt, reverse = false }) => {
    const cursor = new BlockingCursor(native.iterator(iteratorOptions({ gte, lt, reverse })));
    return {
      next: async (max = DEFAULT_CHUNK) => {
        try {
          return await cursor.next(max);
        } catch (error) {
          throw fromEngineError(error, 'read a range');
        }
      },
      close: () => cursor.close(),
    };
  };
}

/** Loads the binding. Throws the module system's error if there is none for this platform. */
export function loadNxteditionEngine(): Engine {
  const RocksLevel = loadBinding();
  const { version } = createRequire(import.meta.url)('@nxtedition/rocksdb/package.json') as { version: string };
  return {
    name: 'nxtedition-rocksdb',
    version,
    async open(path: string, options: EngineOptions): Promise<EngineDb> {
      const native = new RocksLevel(path, BYTES);
      await native.open({
        createIfMissing: true,
        cacheSize: options.cacheBytes,
        // With level compaction, four memtables fit into the budget; there may be six during a flush. The default has
        // no budget and 64 MiB per memtable.
        compaction: 'level',
        memtableMemoryBudget: options.writeBufferBytes,
        // Without compression a write is one frame of the log, which is the simplest to recover after a kill. Batches
        // of hashes and keys do not compress well.
        walCompression: false,
        // Without training a dictionary for each table, compaction takes two fifths of the time. The levels from 2 on are
        // compressed in any case, and a dictionary does not make tables of hashes smaller.
        compression: false,
        // Adds a hash index to data blocks and a filter to memtables. Coins are read by key, which then takes 3.5 us
        // instead of 6.5.
        optimize: 'point-lookup',
      });
      const startThread = (): BatchWriter => writeThread.writer(native.handle);
      const sharing = { here: new CallingWriter(native), startThread };
      return new NxteditionDb(native, new SharingWriter(options.writeThread ? 0 : LARGE_BATCH, sharing));
    },
  };
}
