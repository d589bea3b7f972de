// Opens the node's files: the database, which proves that no other node uses the folder, the lock on the block files,
// and the pid file. A rebuild first deletes its old data.

import path from 'node:path';
import { ConfigError, type NodeConfig } from '../config/index.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { NodeLogger } from '../log/create-logger.js';
import type { Logger } from '../log/logger.js';
import { follows } from '../policy/compat.js';
import { type FolderLock, lockFolder } from '../storage/folder-lock.js';
import { openStore } from '../storage/open-store.js';
import type { RocksStore } from '../storage/rocks-store.js';
import { StoreError } from '../storage/store-error.js';
import { writePidFile } from './data-folder.js';
import { refuseUnpruned } from './pruning.js';
import { prepareRebuild, type RebuildNote } from './rebuild.js';
import type { Teardown } from './teardown.js';

/** Bytes of RocksDB's block cache, in addition to -dbcache. */
const storeCacheBytes = 8 << 20;

const databaseDir = (config: NodeConfig): string => path.join(config.netDir, 'chainstate');

/** Opens the database. Success proves that no other node uses the folder. */
async function openDatabase(config: NodeConfig, log: Logger): Promise<RocksStore> {
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
async function lockBlocks(config: NodeConfig, store: RocksStore): Promise<FolderLock> {
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

export interface OpenedStorage {
  readonly store: RocksStore;
  /** True if the chain is built again from the block files. */
  readonly scan: boolean;
  /** The file REBUILD, which records how far a rebuild has come. */
  readonly note: RebuildNote;
}

/**
 * Opens the storage.
 * @throws ConfigError if another node uses the folder; StoreError
 */
export async function openStorage(config: NodeConfig, params: ChainParams, log: NodeLogger, teardown: Teardown): Promise<OpenedStorage> {
  let blocksLock: FolderLock | undefined;
  teardown.add(() => blocksLock?.release());
  const openAlone = async (): Promise<RocksStore> => {
    const opened = await openDatabase(config, log);
    blocksLock ??= await lockBlocks(config, opened);
    return opened;
  };
  const storage = await prepareRebuild(
    { all: config.reindex, chainstate: config.reindexChainstate, prune: config.prune !== null },
    { netDir: config.netDir, blocksDir: config.blocksDir, databaseDir: databaseDir(config) },
    params,
    openAlone,
    (opened) => refuseUnpruned(opened, config),
    log,
  );
  teardown.add(() => storage.store.close());
  if (config.pidFile !== undefined) {
    const pid = writePidFile(config.pidFile);
    teardown.add(() => pid.remove());
  }
  return storage;
}
