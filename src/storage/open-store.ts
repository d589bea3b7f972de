// Opens a data folder's database with the right RocksDB binding.

import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine, EngineDb, EngineName } from './engine.js';
import { fromEngineError } from './engine.js';
import { ENGINE_FORMAT, type EngineRecord, isEngineName, readEngineFile, writeEngineFile } from './engine-file.js';
import { loadLevelEngine } from './level-engine.js';
import { repairCurrent } from './manifest.js';
import { loadNxteditionEngine } from './nxtedition-engine.js';
import { RocksStore } from './rocks-store.js';
import { StoreError } from './store-error.js';
import { checkWriteAheadLog, SYNC_MARK } from './write-ahead-log.js';

export type { EngineName } from './engine.js';

export interface OpenStoreOptions {
  /** Folder of the database, created when missing. */
  readonly path: string;
  /** Engine to use. Default: that of the folder; for a new folder the fastest one that loads. */
  readonly engine?: EngineName;
  /** Bytes of RocksDB's block cache (8 MiB). */
  readonly cacheBytes?: number;
  /** Bytes of memtables (32 MiB). While they are being flushed to tables, up to 50 % more. */
  readonly writeBufferBytes?: number;
  /**
   * Use the storage thread for all writes, not only for large batches. For databases whose frequent writes would delay
   * other work.
   */
  readonly writeThread?: boolean;
  /**
   * Called with a description of damage in the write-ahead log. For callers that can compute lost writes again: the
   * database is opened in its state before the damage. Without this callback a damaged folder is refused, unless no
   * finished sync follows the damage, because then a power failure is a sufficient explanation.
   */
  readonly onLogDamage?: (text: string) => void;
}

const LOADERS: Record<EngineName, () => Engine> = {
  'nxtedition-rocksdb': loadNxteditionEngine,
  'level-rocksdb': loadLevelEngine,
};
/** Engines, fastest first. */
const PREFERENCE: readonly EngineName[] = ['nxtedition-rocksdb', 'level-rocksdb'];

/** Binding that this process has loaded. */
let loaded: EngineName | null = null;

/** Loads a binding. Returns the error if it does not load. */
export function loadEngine(name: EngineName): Engine | Error {
  // Both bindings export RocksDB's symbols, of versions that are years apart. If a process loads both, the second one
  // crashes.
  if (loaded !== null && loaded !== name) return new StoreError('STORE_ENGINE', `this process already uses ${loaded}`);
  try {
    const engine = LOADERS[name]();
    loaded = name;
    return engine;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function fastestEngine(): Engine {
  const reasons: string[] = [];
  for (const name of PREFERENCE) {
    const engine = loadEngine(name);
    if (!(engine instanceof Error)) return engine;
    reasons.push(`${name}: ${engine.message.split('\n', 1)[0]}`);
  }
  throw new StoreError(
    'STORE_ENGINE',
    `No RocksDB binding loads on this machine (${reasons.join('; ')}). If @nxtedition/rocksdb has no binary for this system, use Node.js 20 and install another binding: npm install -g rocksdb@5.2.1`,
  );
}

function namedEngine(name: EngineName, path: string): Engine {
  const engine = loadEngine(name);
  if (!(engine instanceof Error)) return engine;
  throw new StoreError('STORE_ENGINE', `${path} needs the engine ${name}, which does not load on this machine: ${engine.message}`, engine);
}

async function chooseEngine({ path, engine: wanted, onLogDamage }: OpenStoreOptions): Promise<{ engine: Engine; record: EngineRecord }> {
  const record = await readEngineFile(path);
  if (record === null) {
    const engine = wanted === undefined ? fastestEngine() : namedEngine(wanted, path);
    const made = { engine: engine.name, format: ENGINE_FORMAT, binding: engine.version, marks: onLogDamage === undefined };
    await writeEngineFile(path, made);
    return { engine, record: made };
  }
  if (!isEngineName(record.engine) || record.format !== ENGINE_FORMAT) {
    throw new StoreError(
      'STORE_ENGINE',
      `${path} was written by engine ${record.engine}, format ${record.format}, which this version of adit does not read`,
    );
  }
  if (wanted !== undefined && wanted !== record.engine) {
    throw new StoreError('STORE_ENGINE', `${path} was written by engine ${record.engine} and cannot be opened with ${wanted}`);
  }
  return { engine: namedEngine(record.engine, path), record };
}

async function examineLog({ path, onLogDamage }: OpenStoreOptions, { marks }: EngineRecord): Promise<void> {
  const damage = await checkWriteAheadLog(path, marks);
  if (damage === null) return;
  const text = `${damage.file} is damaged at byte ${damage.at}; what was written after that is lost`;
  if (onLogDamage !== undefined) onLogDamage(text);
  else if (damage.inside) throw new StoreError('STORE_CORRUPTION', text);
}

/** Databases that this process has open, by device and inode of their lock files. */
const openIds = new Set<string>();

/**
 * Claims a database for this caller, whatever path leads to it. RocksDB locks the file LOCK with fcntl, which excludes
 * other processes but always succeeds within the same process. Within a process RocksDB compares paths, which a
 * symbolic or hard link can bypass. This function never opens an existing LOCK file, because closing it would release
 * the kernel's lock.
 * @returns a function that releases the claim
 * @throws StoreError STORE_LOCKED
 */
async function claimDatabase(path: string): Promise<() => void> {
  const file = join(path, 'LOCK');
  const made = await open(file, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null;
    throw fromEngineError(error, `open ${path}`);
  });
  await made?.close();
  const { dev, ino } = await stat(file, { bigint: true });
  const id = `${dev}:${ino}`;
  if (openIds.has(id)) throw new StoreError('STORE_LOCKED', `Failed to open ${path}: this process has it open already`);
  openIds.add(id);
  return () => openIds.delete(id);
}

/**
 * Opens or creates a RocksDB store. Throws StoreError: STORE_LOCKED, STORE_ENGINE, STORE_CORRUPTION, STORE_PERMISSION,
 * STORE_IO.
 */
export async function openStore(options: OpenStoreOptions): Promise<RocksStore> {
  const { engine, record } = await chooseEngine(options);
  const release = await claimDatabase(options.path);
  try {
    await examineLog(options, record);
    repairCurrent(options.path);
    const db = await openDatabase(engine, options);
    if (options.onLogDamage === undefined && !record.marks) await beginMarks(db, options.path, record);
    return new RocksStore(engine.name, db, release);
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Records that all logs of the folder have marks at their syncs. At this point the logs of an earlier version have been
 * replaced. A log that RocksDB starts later, when a memtable is full, has marks too.
 */
async function beginMarks(db: EngineDb, path: string, record: EngineRecord): Promise<void> {
  try {
    await db.write(SYNC_MARK, true, true);
    await writeEngineFile(path, { ...record, marks: true });
  } catch (error) {
    await db.close().catch(() => {});
    throw fromEngineError(error, `open ${path}`);
  }
}

async function openDatabase(engine: Engine, options: OpenStoreOptions): Promise<EngineDb> {
  try {
    return await engine.open(options.path, {
      cacheBytes: options.cacheBytes ?? 8 << 20,
      writeBufferBytes: options.writeBufferBytes ?? 32 << 20,
      writeThread: options.writeThread === true,
    });
  } catch (error) {
    throw fromEngineError(error, `open ${options.path}`);
  }
}
