// Locks a folder for one process. Node.js has no file locks, so the owner opens a small database inside the folder: the
// kernel releases the lock of that database when the process dies. Used for folders without a database (the block
// files), and for folders whose database is replaced (a wallet's).

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineName } from './engine.js';
import { openStore } from './open-store.js';

export interface FolderLock {
  /** Releases the lock. */
  release(): Promise<void>;
  /** Releases the lock and deletes the lock's files. For a folder that will be deleted. */
  remove(): Promise<void>;
}

export interface FolderLockOptions {
  /** Engine to use. Default: the folder's own, or the one that this process has loaded. A process can load only one. */
  readonly engine?: EngineName;
  /** Name of the database inside the folder ("lock"). It stays empty. */
  readonly name?: string;
}
const CACHE_BYTES = 64 << 10;
const WRITE_BUFFER_BYTES = 256 << 10;

/**
 * Locks a folder, which must exist.
 * @throws StoreError STORE_LOCKED if this or another process has locked it; other codes as openStore
 */
export async function lockFolder(dir: string, { engine, name = 'lock' }: FolderLockOptions = {}): Promise<FolderLock> {
  const path = join(dir, name);
  const store = await openStore({
    path,
    ...(engine && { engine }),
    cacheBytes: CACHE_BYTES,
    writeBufferBytes: WRITE_BUFFER_BYTES,
    // The database has no rows, so damage to its log loses nothing.
    onLogDamage: () => {},
  });
  // RocksDB leaves a log file at each start. They are useless for an empty database, so delete them.
  for (const file of readdirSync(path)) if (file.startsWith('LOG.old.')) rmSync(join(path, file), { force: true });
  return {
    release: () => store.close(),
    remove: async () => {
      // Close before deleting the files: RocksDB appends to them while it closes. Without them the database would stay
      // half closed, and locked until the process ends.
      await store.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}
