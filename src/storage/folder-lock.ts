// Keeps a folder for one process: its owner holds the lock of a small database inside, which the kernel releases
// when the process dies, however it does. Node has no file locks of its own. For folders without a database (the block
// files), and for those whose database is exchanged (a wallet's).

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineName } from './engine.js';
import { openStore } from './open-store.js';

/** A folder that is ours. */
export interface FolderLock {
  /** Lets others have it. */
  release(): Promise<void>;
  /** The same for a folder that nothing is kept in: takes the lock's own files away. */
  remove(): Promise<void>;
}

export interface FolderLockOptions {
  /** Of the process, which can load one only; by default the folder's own, or the one that is loaded. */
  readonly engine?: EngineName;
  /** Name of the database inside the folder ("lock"); it never holds anything. */
  readonly name?: string;
}
const CACHE_BYTES = 64 << 10;
const WRITE_BUFFER_BYTES = 256 << 10;

/**
 * Takes a folder, which must exist.
 * @throws StoreError STORE_LOCKED when another process has it, or this one; others as openStore
 */
export async function lockFolder(dir: string, { engine, name = 'lock' }: FolderLockOptions = {}): Promise<FolderLock> {
  const path = join(dir, name);
  const store = await openStore({
    path,
    ...(engine && { engine }),
    cacheBytes: CACHE_BYTES,
    writeBufferBytes: WRITE_BUFFER_BYTES,
    // Nothing is written, so that nothing can be lost.
    onLogDamage: () => {},
  });
  // Every start leaves a log of its own; those of a database without contents are of no use.
  for (const file of readdirSync(path)) if (file.startsWith('LOG.old.')) rmSync(join(path, file), { force: true });
  return {
    release: () => store.close(),
    remove: async () => {
      // RocksDB appends to its files while it closes: without them it ends half closed, and counts as open for as long
      // as the process lives.
      await store.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}
