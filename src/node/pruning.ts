// -prune on the way from options to the chain: what is refused at the start, who keeps blocks from being pruned, the
// first look once wallets stand where the chain does.
import type { Chain } from '../chain/chain.js';
import { MIN_BLOCKS_TO_KEEP, type PruneSettings } from '../chain/files/pruning.js';
import { ConfigError } from '../config/args.js';
import type { NodeConfig } from '../config/load.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { Indexes } from '../indexes/indexes.js';
import type { Logger } from '../log/logger.js';
import type { BlockFilesOptions } from '../storage/block-files.js';
import { PRUNED_FLAG_KEY } from '../storage/layout.js';
import type { Store } from '../storage/store.js';

/** -fastprune: what Core's later versions use in tests. */
const SMALL_FILES = { maxFileBytes: 64 << 10, blockChunkBytes: 16 << 10, undoChunkBytes: 16 << 10 } as const;
const SMALL_AFTER_HEIGHT = 100;

/** What the chain is told. */
export function pruneSettings({ prune, smallBlockFiles }: NodeConfig, params: ChainParams): PruneSettings | null {
  if (prune === null) return null;
  return { targetBytes: prune.targetBytes, afterHeight: smallBlockFiles ? SMALL_AFTER_HEIGHT : params.pruneAfterHeight };
}

/** Sizes of block files that differ from the usual ones. */
export function fileSizes({ smallBlockFiles }: NodeConfig): Partial<BlockFilesOptions> {
  return smallBlockFiles ? SMALL_FILES : {};
}

/** Refuses to go on without -prune where blocks were deleted. @throws ConfigError in Core's words */
export async function refuseUnpruned(store: Store, { prune }: NodeConfig): Promise<void> {
  if (prune !== null || (await store.get(PRUNED_FLAG_KEY)) === undefined) return;
  throw new ConfigError(
    'You need to rebuild the database using -reindex to go back to unpruned mode.  This will redownload the entire blockchain.\nPlease restart with -reindex or -reindex-chainstate to recover.',
  );
}

/** A line for who asks for more blocks to be checked at the start than a pruned node may have. */
export function noteShortCheck(chain: Chain, checkBlocks: number, log: Logger): void {
  if (!chain.havePruned || checkBlocks <= MIN_BLOCKS_TO_KEEP) return;
  log.info(`Prune: pruned datadir may not have more than ${MIN_BLOCKS_TO_KEEP} blocks; only checking available blocks`);
}

/** Blocks that indexes still have to read stay. */
export function guardReaders(chain: Chain, indexes: Indexes): void {
  for (const follower of indexes.list) chain.guardBlocks(() => follower.neededFrom);
}

/** The first look, after wallets were brought to the tip. */
export async function pruneAtStart(chain: Chain, log: Logger): Promise<void> {
  if (chain.pruneSettings === null) return;
  log.info('Unsetting NODE_NETWORK on prune mode');
  log.info('init message: Pruning blockstore...');
  await chain.pruneToTarget();
}
