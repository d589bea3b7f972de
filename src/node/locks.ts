// Opens the database and locks the block files, so that only one node uses a folder. Messages are Core's.
import path from 'node:path';
import { ConfigError } from '../config/args.js';
import type { NodeConfig } from '../config/load.js';
import type { Logger } from '../log/logger.js';
import { follows } from '../policy/compat.js';
import { type FolderLock, lockFolder } from '../storage/folder-lock.js';
import { openStore } from '../storage/open-store.js';
import type { RocksStore } from '../storage/rocks-store.js';
import { StoreError } from '../storage/store-error.js';

/** Bytes of RocksDB's block cache, in addition to -dbcache. */
export const storeCacheBytes = 8 << 20;

export const databaseDir = (config: NodeConfig): string => path.join(config.netDir, 'chainstate');

/** Opens the database. Success proves that no other node uses the folder. */
export async function openDatabase(config: NodeConfig, log: Logger): Promise<RocksStore> {
  try {
    return await openStore({
      path: databaseDir(config),
      cacheBytes: storeCacheBytes,
      writeThread: true,
      // The blocks have their own files, and everything else can be computed from them.
      onLogDamage: (text) =>
        log.warn(`${text}. The database will be rebuilt from the block files. Marks that invalidateblock has set since then are lost.`),
    });
  } catch (error) {
    if (error instanceof StoreError && error.code === 'STORE_LOCKED') {
      const folder = follows(config.compat, 29) ? 'directory' : 'data directory';
      throw new ConfigError(`Cannot obtain a lock on ${folder} ${config.netDir}. adit is probably already running.`);
    }
    throw error;
  }
}

/** Locks the block files, because -blocksdir may name another node's folder. */
export async function lockBlocks(config: NodeConfig, store: RocksStore): Promise<FolderLock> {
  try {
    return await lockFolder(config.blocksDir, { engine: store.engine });
  } catch (error) {
    await store.close();
    if (error instanceof StoreError && error.code === 'STORE_LOCKED') {
      throw new ConfigError(`Cannot obtain a lock on directory ${config.blocksDir}. adit is probably already running.`);
    }
    throw error;
  }
}
