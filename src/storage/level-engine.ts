// The older RocksDB binding, rocksdb 5.2: abstract-leveldown 7 with callbacks, prebuilt for more platforms, no longer
// maintained.
//
// Properties of the binding: it takes Buffers and converts anything else to text. It runs writes in libuv's pool in no
// guaranteed order, so this module queues them. A chained batch copies its data immediately.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SerialQueue } from '../lib/serial-queue.js';
import { asBuffer, type Engine, type EngineCursor, type EngineDb, type EngineOptions, type EngineRange } from './engine.js';
import type { Batch, StoreEntry } from './store.js';
import { useUp } from './write-batch.js';

/** Number of bytes after which a cursor returns its entries. */
const CURSOR_BYTES = 1 << 20;
/** Number of bytes that the binding reads in advance for a cursor. */
const READ_AHEAD_BYTES = 256 << 10;

type Callback<T> = (error: Error | null | undefined, value: T) => void;

interface NativeBatch {
  put(key: Buffer, value: Buffer): void;
  del(key: Buffer): void;
  write(options: { sync: boolean }, callback: Callback<void>): void;
}

interface NativeIterator {
  next(callback: (error: Error | null | undefined, key?: Uint8Array, value?: Uint8Array) => void): void;
  end(callback: Callback<void>): void;
}

interface NativeDb {
  open(options: object, callback: Callback<void>): void;
  close(callback: Callback<void>): void;
  getMany(keys: Buffer[], options: object, callback: Callback<(Uint8Array | undefined)[]>): void;
  batch(): NativeBatch;
  clear(options: object, callback: Callback<void>): void;
  iterator(options: object): NativeIterator;
  approximateSize(from: Buffer, to: Buffer, callback: Callback<number>): void;
  getProperty(name: string): string;
}

/** Converts a call with a callback to a promise. */
function promised<T>(call: (callback: Callback<T>) => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value)));
  });
}

class LevelCursor implements EngineCursor {
  #finished = false;
  #ended: Promise<void> | null = null;
  readonly #native: NativeIterator;

  constructor(native: NativeIterator) {
    this.#native = native;
  }

  next(max: number): Promise<StoreEntry[]> {
    if (this.#finished) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const entries: StoreEntry[] = [];
      let bytes = 0;
      const step = () => {
        this.#native.next((error, key, value) => {
          if (error) {
            reject(error);
            return;
          }
          if (key === undefined || value === undefined) {
            this.#finished = true;
            resolve(entries);
            return;
          }
          entries.push([key, value]);
          bytes += key.length + value.length;
          if (entries.length >= max || bytes >= CURSOR_BYTES) resolve(entries);
          else step();
        });
      };
      step();
    });
  }

  close(): Promise<void> {
    this.#ended ??= promised<void>((done) => this.#native.end(done));
    return this.#ended;
  }
}

class LevelDb implements EngineDb {
  readonly handle = null;
  readonly #writes = new SerialQueue();
  readonly #native: NativeDb;

  constructor(native: NativeDb) {
    this.#native = native;
  }

  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return promised((done) => this.#native.getMany(keys.map(asBuffer), { asBuffer: true }, done));
  }

  write(ops: Batch, sync: boolean): Promise<void> {
    const batch = this.#native.batch();
    for (const op of ops) {
      if (op.type === 'put') batch.put(asBuffer(op.key), asBuffer(op.value));
      else batch.del(asBuffer(op.key));
    }
    useUp(ops);
    // The failure of a batch only affects its caller. The next batch is tried independently.
    return this.#writes.run(() => promised<void>((done) => batch.write({ sync }, done)));
  }

  /** Deletes the range row by row, after earlier writes, natively in libuv's pool. */
  clear(gte: Uint8Array, lt: Uint8Array): Promise<void> {
    const options = { gte: asBuffer(gte), lt: asBuffer(lt), reverse: false, limit: -1 };
    return this.#writes.run(() => promised<void>((done) => this.#native.clear(options, done)));
  }

  cursor(range: EngineRange): EngineCursor {
    const options: Record<string, unknown> = {
      reverse: range.reverse,
      keyAsBuffer: true,
      valueAsBuffer: true,
      highWaterMark: READ_AHEAD_BYTES,
    };
    if (range.gte !== undefined) options.gte = asBuffer(range.gte);
    if (range.lt !== undefined) options.lt = asBuffer(range.lt);
    return new LevelCursor(this.#native.iterator(options));
  }

  approximateSize(gte: Uint8Array, lt: Uint8Array): Promise<number> {
    return promised((done) => this.#native.approximateSize(asBuffer(gte), asBuffer(lt), done));
  }

  property(name: string): string {
    return this.#native.getProperty(name);
  }

  async close(): Promise<void> {
    await this.#writes.idle();
    await promised<void>((done) => this.#native.close(done));
  }
}

/**
 * Throws if the binding is the package's prebuilt Linux binary and Node.js is version 22 or later. The two have
 * different layouts of C++ strings, and loading the binary would abort the process. A binary compiled on this machine
 * works.
 */
function refuseForeignBinary(require: NodeJS.Require): void {
  if (process.platform !== 'linux' || Number.parseInt(process.versions.node, 10) < 22) return;
  const folder = dirname(require.resolve('rocksdb/package.json'));
  if (!existsSync(join(folder, 'prebuilds', `linux-${process.arch}`)) || existsSync(join(folder, 'build', 'Release'))) return;
  throw new Error('its prebuilt binary needs Node 20; `npm rebuild rocksdb --build-from-source` makes one for this version of Node');
}

/** Loads the binding. Throws the module system's error if there is none for this platform. */
export function loadLevelEngine(): Engine {
  const require = createRequire(import.meta.url);
  refuseForeignBinary(require);
  const create = require('rocksdb') as (path: string) => NativeDb;
  const { version } = require('rocksdb/package.json') as { version: string };
  return {
    name: 'level-rocksdb',
    version,
    async open(path: string, options: EngineOptions): Promise<EngineDb> {
      const native = create(path);
      await promised<void>((done) =>
        native.open(
          {
            createIfMissing: true,
            cacheSize: options.cacheBytes,
            // RocksDB fills two memtables of this size before writers wait.
            writeBufferSize: Math.max(1 << 20, Math.floor(options.writeBufferBytes / 2)),
            compression: true,
          },
          done,
        ),
      );
      return new LevelDb(native);
    },
  };
}
