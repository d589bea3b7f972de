// Opens the node's files: the database, which proves that no other node uses the folder, the lock on the block files,
// and the pid file. A rebuild first deletes its old data.

import type { NodeConfig } from '../config/load.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { NodeLogger } from '../log/create-logger.js';
import type { FolderLock } from '../storage/folder-lock.js';
import type { RocksStore } from '../storage/rocks-store.js';
import { writePidFile } from './data-folder.js';
import { databaseDir, lockBlocks, openDatabase } from './locks.js';
import { refuseUnpruned } from './pruning.js';
import { prepareRebuild, type RebuildNote } from './rebuild.js';
import type { Teardown } from './teardown.js';

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
  const pid = writePidFile(config.pidFile);
  teardown.add(() => pid.remove());
  return storage;
}
