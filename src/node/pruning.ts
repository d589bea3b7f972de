// -prune at start: what is refused, guards of indexes, and the first pruning after wallets have caught up.
import { type Chain, MIN_BLOCKS_TO_KEEP, type PruneSettings } from '../chain/index.js';
import { ConfigError, type NodeConfig } from '../config/index.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { Indexes } from '../indexes/index.js';
import type { Logger } from '../log/logger.js';
import type { BlockFilesOptions } from '../storage/block-files.js';
import { PRUNED_FLAG_KEY } from '../storage/layout.js';
import type { Store } from '../storage/store.js';

/** File sizes of -fastprune, as later releases of Core use in tests. */
const SMALL_FILES = { maxFileBytes: 64 << 10, blockChunkBytes: 16 << 10, undoChunkBytes: 16 << 10 } as const;
const SMALL_AFTER_HEIGHT = 100;

export function pruneSettings({ prune, smallBlockFiles }: NodeConfig, params: ChainParams): PruneSettings | null {
  if (prune === null) return null;
  return { targetBytes: prune.targetBytes, afterHeight: smallBlockFiles ? SMALL_AFTER_HEIGHT : params.pruneAfterHeight };
}

/** Returns sizes of block files that differ from the defaults. */
export function fileSizes({ smallBlockFiles }: NodeConfig): Partial<BlockFilesOptions> {
  return smallBlockFiles ? SMALL_FILES : {};
}

/**
 * Refuses to run without -prune if blocks were pruned.
 * @throws ConfigError with Core's message
 */
export async function refuseUnpruned(store: Store, { prune }: NodeConfig): Promise<void> {
  if (prune !== null || (await store.get(PRUNED_FLAG_KEY)) === undefined) return;
  throw new ConfigError(
    'You need to rebuild the database using -reindex to go back to unpruned mode.  This will redownload the entire blockchain.\nPlease restart with -reindex or -reindex-chainstate to recover.',
  );
}

/** Logs a line if -checkblocks asks for more blocks than a pruned node may have. */
export function noteShortCheck(chain: Chain, checkBlocks: number, log: Logger): void {
  if (!chain.blocks.havePruned || checkBlocks <= MIN_BLOCKS_TO_KEEP) return;
  log.info(`Prune: pruned datadir may not have more than ${MIN_BLOCKS_TO_KEEP} blocks; only checking available blocks`);
}

/** Registers prune guards for blocks that indexes still have to read. */
export function guardReaders(chain: Chain, indexes: Indexes): void {
  for (const follower of indexes.list) chain.commands.guardBlocks(() => follower.neededFrom);
}

/** Prunes for the first time, after wallets have caught up. */
export async function pruneAtStart(chain: Chain, log: Logger): Promise<void> {
  if (chain.blocks.pruneSettings === null) return;
  log.info('Unsetting NODE_NETWORK on prune mode');
  log.info('init message: Pruning blockstore...');
  await chain.commands.pruneToTarget();
}
