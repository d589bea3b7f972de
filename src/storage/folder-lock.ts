// Keeps a folder for one process: whoever has it holds the lock of a small database inside, which the kernel takes back when the process
// dies, however it does. Node has no file locks of its own. For folders without a database: the block files. Caller: node.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineName } from './engine.js';
import { openStore } from './open-store.js';

/** A folder that is ours. */
export interface FolderLock {
  /** Lets others have it. */
  release(): Promise<void>;
}

/** Name of the database inside the folder; it never holds anything. */
const LOCK_FOLDER = 'lock';
const CACHE_BYTES = 64 << 10;
const WRITE_BUFFER_BYTES = 256 << 10;

/**
 * Takes a folder, which must exist.
 * @param engine of the process: it can load one only
 * @throws StoreError STORE_LOCKED when another process has it, or this one; others as openStore
 */
export async function lockFolder(dir: string, engine: EngineName): Promise<FolderLock> {
  const path = join(dir, LOCK_FOLDER);
  const store = await openStore({ path, engine, cacheBytes: CACHE_BYTES, writeBufferBytes: WRITE_BUFFER_BYTES });
  // Every start leaves a log of its own; nobody needs those of a database without contents.
  for (const name of readdirSync(path)) if (name.startsWith('LOG.old.')) rmSync(join(path, name), { force: true });
  return { release: () => store.close() };
}
