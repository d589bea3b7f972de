// Warns at the first start if the disk cannot hold the blocks of the network.
import fs from 'node:fs';
import type { NodeConfig } from '../config/index.js';
import type { ChainParams } from '../consensus/params/chain-params.js';

const GIB = 1024 ** 3;
/** Free space needed in addition to the blocks (Core's min_disk_space). */
const SPARE_BYTES = 50 * 1024 ** 2;

/** Returns the free bytes of the disk with a folder; undefined if unknown. */
export function freeBytes(dir: string): number | undefined {
  try {
    const { bavail, bsize } = fs.statfsSync(dir);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/**
 * Returns a warning if the blocks do not fit; null otherwise.
 * @param free bytes on the disk of the block files
 */
export function diskSpaceWarning(
  { blocksDir, prune }: Pick<NodeConfig, 'blocksDir' | 'prune'>,
  { assumedBlocksGb }: Pick<ChainParams, 'assumedBlocksGb'>,
  free: number | undefined,
): string | null {
  const needed = Math.min(prune?.targetBytes ?? Number.POSITIVE_INFINITY, assumedBlocksGb * GIB);
  if (free === undefined || free >= needed + SPARE_BYTES) return null;
  return `Disk space for "${blocksDir}" may not accommodate the block files. Approximately ${assumedBlocksGb} GB of data will be stored in this directory.`;
}
