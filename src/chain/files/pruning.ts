// Selects block files for pruning. Pure functions. Source: Bitcoin Core 0.21, FindFilesToPrune and
// FindFilesToPruneManual; guards come from later releases of Core.

/**
 * Number of blocks below the tip that are never pruned, so that a reorganisation of this depth stays possible (Core's
 * MIN_BLOCKS_TO_KEEP).
 */
export const MIN_BLOCKS_TO_KEEP = 288;
/**
 * Number of blocks kept below the position of an index or a wallet, because a reorganisation may lead back there
 * (Core's PRUNE_LOCK_BUFFER).
 */
const GUARD_BUFFER = 10;

/** Settings of -prune. */
export interface PruneSettings {
  /** Target size of blocks and undo data in bytes; infinite: prune only on request. */
  readonly targetBytes: number;
  /** Height of the tip up to which nothing is pruned. */
  readonly afterHeight: number;
}

/** A pair of finished blk and rev files. */
export interface PrunableFile {
  readonly file: number;
  readonly bytes: number;
  /** Height of the highest block in the file, on any branch. */
  readonly lastHeight: number;
}

/**
 * Returns the height of the highest block that may be pruned; negative if none may be pruned.
 * @param tipHeight height of the active chain
 * @param needed lowest height that an index or wallet has yet to read; infinite for none
 */
export function lastPrunable(tipHeight: number, needed: number): number {
  return Math.min(tipHeight - MIN_BLOCKS_TO_KEEP, needed - GUARD_BUFFER - 1);
}

/**
 * Returns the files to delete so that the remaining files are below the target, lowest number first.
 * @param files in order of their numbers
 * @param usage bytes of all files
 * @param bufferBytes space to leave: files grow by that much before the next check
 * @param downloading true in the initial block download: 10 % of the target is freed in addition, because each pruning
 *   first writes all coins
 */
export function filesAboveTarget(
  files: readonly PrunableFile[],
  limits: { usage: number; targetBytes: number; bufferBytes: number; downloading: boolean; lastHeight: number },
): number[] {
  const { targetBytes, bufferBytes, downloading, lastHeight } = limits;
  let { usage } = limits;
  const chosen: number[] = [];
  if (usage + bufferBytes < targetBytes) return chosen;
  const buffer = bufferBytes + (downloading ? Math.floor(targetBytes / 10) : 0);
  for (const one of files) {
    if (usage + buffer < targetBytes) break;
    // Blocks are stored out of order, so a later file may still be deletable.
    if (one.lastHeight > lastHeight) continue;
    chosen.push(one.file);
    usage -= one.bytes;
  }
  return chosen;
}

/** Returns files whose blocks are all at or below a height. */
export function filesUpTo(files: readonly PrunableFile[], lastHeight: number): number[] {
  return files.filter((one) => one.lastHeight <= lastHeight).map(({ file }) => file);
}
