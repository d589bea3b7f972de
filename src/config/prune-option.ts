// Reads -prune, with Core's error messages.

import type { CHAIN_ROWS } from '../chain/options.js';
import type { IndexOptions } from '../indexes/options.js';
import { type Compat, follows } from '../policy/compat.js';
import { ConfigError } from './args.js';
import type { RowValues } from './rows.js';

const MIB = 1024 * 1024;
/**
 * Smallest value of -prune in MiB. With less a node could not keep the blocks that a reorganisation may need (Core's
 * MIN_DISK_SPACE_FOR_BLOCK_FILES).
 */
const MIN_TARGET_MIB = 550;
/** Value with which only pruneblockchain prunes. */
const BY_HAND = 1;

/** How old blocks are pruned. */
export interface PruneOption {
  /** Maximum size in bytes of block and undo files; infinite: only pruneblockchain prunes. */
  readonly targetBytes: number;
}

/** Reads -prune. @returns prune: null without pruning; notes: lines for the log @throws ConfigError */
export function pruneOption(
  { pruneMib: value, reindexChainstate, smallBlockFiles }: RowValues<typeof CHAIN_ROWS>,
  indexes: IndexOptions,
  compat: Compat,
): { prune: PruneOption | null; notes: string[] } {
  if (value < 0) throw new ConfigError('Prune cannot be configured with a negative value.');
  if (value === 0) return { prune: null, notes: [] };
  if (indexes.tx) throw new ConfigError('Prune mode is incompatible with -txindex.');
  if (indexes.spenders) throw new ConfigError('Prune mode is incompatible with -txospenderindex.');
  // Since release 23 both options may be given, because pruning waits for the filter index.
  if (indexes.filters && !follows(compat, 23)) throw new ConfigError('Prune mode is incompatible with -blockfilterindex.');
  if (reindexChainstate) throw new ConfigError('Prune mode is incompatible with -reindex-chainstate. Use full -reindex instead.');
  if (value === BY_HAND) {
    const line = 'Block pruning enabled.  Use RPC call pruneblockchain(height) to manually prune block and undo files.';
    return { prune: { targetBytes: Number.POSITIVE_INFINITY }, notes: [line] };
  }
  // Tests use small files.
  if (value < MIN_TARGET_MIB && !smallBlockFiles) {
    throw new ConfigError(`Prune configured below the minimum of ${MIN_TARGET_MIB} MiB.  Please use a higher number.`);
  }
  return { prune: { targetBytes: value * MIB }, notes: [`Prune configured to target ${value} MiB on disk for block and undo files.`] };
}
