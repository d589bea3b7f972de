// Which block files may go when room on the disk is short, as numbers only. Facts: Bitcoin Core 0.21, FindFilesToPrune
// and FindFilesToPruneManual; later versions added the guards.

/**
 * Blocks below the tip that are always kept: a reorganisation that deep must stay possible (Core's MIN_BLOCKS_TO_KEEP).
 */
export const MIN_BLOCKS_TO_KEEP = 288;
/**
 * Blocks kept below what an index or a wallet stands at, since the chain may go back there (Core's PRUNE_LOCK_BUFFER).
 */
const GUARD_BUFFER = 10;

/** -prune. */
export interface PruneSettings {
  /** Bytes that blocks and undo data may take; infinite: nothing is pruned unasked. */
  readonly targetBytes: number;
  /** Up to this height of the tip nothing is pruned. */
  readonly afterHeight: number;
}

/** A pair of files that nothing is appended to any more. */
export interface PrunableFile {
  readonly file: number;
  readonly bytes: number;
  /** Highest block in it, of any branch. */
  readonly lastHeight: number;
}

/**
 * The highest block that may go.
 * @param tipHeight of the active chain @param needed lowest height that is still to be read, infinite for none
 * @returns below 0 for none
 */
export function lastPrunable(tipHeight: number, needed: number): number {
  return Math.min(tipHeight - MIN_BLOCKS_TO_KEEP, needed - GUARD_BUFFER - 1);
}

/**
 * Files to remove until there is room below the target again, lowest number first.
 * @param files in order of their numbers
 * @param usage bytes of all files
 * @param bufferBytes room to leave: files grow by that much before the next look
 * @param downloading in initial download a tenth of the target more is freed, since every pruning writes all coins
 * first
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
    // Later files may still be removable: blocks come out of order.
    if (one.lastHeight > lastHeight) continue;
    chosen.push(one.file);
    usage -= one.bytes;
  }
  return chosen;
}

/** Files whose every block is at a height or below it. */
export function filesUpTo(files: readonly PrunableFile[], lastHeight: number): number[] {
  return files.filter((one) => one.lastHeight <= lastHeight).map(({ file }) => file);
}
