import type { Store } from './store.js';
/** Engines by the name in the ENGINE file. */
export type EngineName = 'nxtedition-rocksdb' | 'level-rocksdb';
export interface OpenStoreOptions {
  readonly path: string;
  /** Insist on one engine; by default the folder's own, or the fastest that loads for a new folder. */
  readonly engine?: EngineName;
  /** Bytes for RocksDB's block cache (8 MiB). */
  readonly cacheBytes?: number;
  /** Bytes for memtables (16 MiB). */
  readonly writeBufferBytes?: number;
}
/** Opens (or creates) a RocksDB store. Throws StoreError: STORE_LOCKED, STORE_ENGINE, STORE_CORRUPTION, STORE_PERMISSION. */
export function openStore(options: OpenStoreOptions): Promise<Store> { throw new Error(`later ${options}`); }
