// Common interface of the two RocksDB bindings, and translation of their errors. Other modules must not import it.

import type { Batch, StoreEntry } from './store.js';
import { StoreError } from './store-error.js';

/** Engines by their names in the ENGINE file. */
export type EngineName = 'nxtedition-rocksdb' | 'level-rocksdb';

/** Memory bounds of a database. */
export interface EngineOptions {
  /** Bytes of the cache for uncompressed blocks of the tables. */
  readonly cacheBytes: number;
  /** Approximate bytes of all memtables together. */
  readonly writeBufferBytes: number;
  /** Use the storage thread for all writes, also small ones, except those with `alone`. */
  readonly writeThread: boolean;
}

/** Bounds of a cursor. A limit on the number of rows is left to the caller. */
export interface EngineRange {
  readonly gte?: Uint8Array;
  readonly lt?: Uint8Array;
  readonly reverse: boolean;
}

/** A native cursor over a snapshot of the database. The caller must await each call before the next one. */
export interface EngineCursor {
  /** Reads at least one entry and at most `max`; none at the end of the range. */
  next(max: number): Promise<StoreEntry[]>;
  close(): Promise<void>;
}

/** An open database. Errors are the binding's own; RocksStore translates them. */
export interface EngineDb {
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]>;
  /**
   * Writes a batch. Copies the operations before it returns, and keeps the order of calls.
   * @param alone the calling thread has no other work that the write could delay
   */
  write(ops: Batch, sync: boolean, alone: boolean): Promise<void>;
  /** Deletes the keys gte <= key < lt. */
  clear(gte: Uint8Array, lt: Uint8Array): Promise<void>;
  cursor(range: EngineRange): EngineCursor;
  /** Handle by which another thread can read the open database; null if the binding has none. */
  readonly handle: bigint | null;
  approximateSize(gte: Uint8Array, lt: Uint8Array): Promise<number>;
  /** Returns a property of RocksDB; empty if it has none of that name. Must not be called after close. */
  property(name: string): string;
  close(): Promise<void>;
}

/** A loaded binding. */
export interface Engine {
  readonly name: EngineName;
  /** Version of the npm package. */
  readonly version: string;
  open(path: string, options: EngineOptions): Promise<EngineDb>;
}

/** Returns the same bytes as a Buffer, the only byte type of the older binding. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Converts a binding's error to a StoreError. The older binding's errors only have messages. The newer binding wraps
 * its errors when it opens a database. So the messages of the error and of all its causes are searched for RocksDB's
 * status names.
 */
export function fromEngineError(error: unknown, doing: string): StoreError {
  if (error instanceof StoreError) return error;
  let texts = '';
  let codes = '';
  for (let e: unknown = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth++) {
    texts += `${e.message}\n`;
    codes += `${(e as NodeJS.ErrnoException).code ?? ''}\n`;
  }
  const firstText =
    texts
      .split('\n')
      .filter((line) => line !== '')
      .at(-1) ?? String(error);
  const make = (code: StoreError['code'], hint = '') => new StoreError(code, `Failed to ${doing}: ${firstText}${hint}`, error);
  if (codes.includes('LEVEL_LOCKED') || /IO error: (lock |LockFile |While lock file)/i.test(texts)) return make('STORE_LOCKED');
  if (/no space left|disk quota exceeded/i.test(texts)) return make('STORE_DISK_FULL');
  if (/permission denied|read-only file system|EACCES|EROFS/i.test(texts)) return make('STORE_PERMISSION');
  if (codes.includes('LEVEL_CORRUPTION') || /corruption:|checksum mismatch|no such file or directory/i.test(texts))
    return make('STORE_CORRUPTION');
  if (/not open|is closed|has ended/i.test(texts)) return make('STORE_CLOSED');
  return make('STORE_IO');
}
