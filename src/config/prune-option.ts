// -prune, with Core's refusals.

import { type Args, ConfigError } from './args.js';

const MIB = 1024 * 1024;
/**
 * Below this a node could not keep the blocks that a reorganisation may need (Core's MIN_DISK_SPACE_FOR_BLOCK_FILES),
 * MiB.
 */
const MIN_TARGET_MIB = 550;
/** The value that leaves it to pruneblockchain. */
const BY_HAND = 1;

/** How old blocks are removed. */
export interface PruneOption {
  /** Bytes that block and undo files may take; infinite: they are removed by pruneblockchain only. */
  readonly targetBytes: number;
}

/**
 * @param filters whether an index of filters is asked for
 * @returns null without pruning, and lines for the log
 * @throws ConfigError
 */
export function pruneOption(args: Args, filters: boolean): { prune: PruneOption | null; notes: string[] } {
  const value = args.int('prune', 0);
  if (value < 0) throw new ConfigError('Prune cannot be configured with a negative value.');
  if (value === 0) return { prune: null, notes: [] };
  if (args.bool('txindex', false)) throw new ConfigError('Prune mode is incompatible with -txindex.');
  if (args.bool('txospenderindex', false)) throw new ConfigError('Prune mode is incompatible with -txospenderindex.');
  if (filters) throw new ConfigError('Prune mode is incompatible with -blockfilterindex.');
  if (args.bool('reindex-chainstate', false)) {
    throw new ConfigError('Prune mode is incompatible with -reindex-chainstate. Use full -reindex instead.');
  }
  if (value === BY_HAND) {
    const line = 'Block pruning enabled.  Use RPC call pruneblockchain(height) to manually prune block and undo files.';
    return { prune: { targetBytes: Number.POSITIVE_INFINITY }, notes: [line] };
  }
  // Tests make do with little.
  if (value < MIN_TARGET_MIB && !args.bool('fastprune', false)) {
    throw new ConfigError(`Prune configured below the minimum of ${MIN_TARGET_MIB} MiB.  Please use a higher number.`);
  }
  return { prune: { targetBytes: value * MIB }, notes: [`Prune configured to target ${value} MiB on disk for block and undo files.`] };
}
