// Locks a folder for one process. The owner holds the lock of a small database inside the folder, which the kernel
// releases whenever the process dies. Node.js has no file locks. For folders without a database (the block files), and
// for folders whose database is replaced (a wallet's).

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineName } from './engine.js';
import { openStore } from './open-store.js';

/** A locked folder. */
export interface FolderLock {
  /** Releases the lock. */
  release(): Promise<void>;
  /** Releases the lock and deletes its files, for a folder that is not kept. */
  remove(): Promise<void>;
}

export interface FolderLockOptions {
  /** Engine to use. A process can load only one. Default: the folder's own, or the loaded one. */
  readonly engine?: EngineName;
  /** Name of the database inside the folder ("lock"). It stays empty. */
  readonly name?: string;
}
const CACHE_BYTES = 64 << 10;
const WRITE_BUFFER_BYTES = 256 << 10;

/**
 * Locks a folder, which must exist.
 * @throws StoreError STORE_LOCKED if another process or this one has locked it; others as openStore
 */
export async function lockFolder(dir: string, { engine, name = 'lock' }: FolderLockOptions = {}): Promise<FolderLock> {
  const path = join(dir, name);
  const store = await openStore({
    path,
    ...(engine && { engine }),
    cacheBytes: CACHE_BYTES,
    writeBufferBytes: WRITE_BUFFER_BYTES,
    // The database stays empty, so nothing can be lost.
    onLogDamage: () => {},
  });
  // Each start leaves a log file of RocksDB. They are useless for an empty database.
  for (const file of readdirSync(path)) if (file.startsWith('LOG.old.')) rmSync(join(path, file), { force: true });
  return {
    release: () => store.close(),
    remove: async () => {
      // RocksDB appends to its files while it closes. Without them it would stay half closed and count as open until
      // the process ends.
      await store.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}
