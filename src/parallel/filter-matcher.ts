// Holds block filters against scripts on the pool's threads: hashing a set of scripts for each of some hundred thousand
// blocks is no work for the node thread.
import { packMatchJob, runMatchJob } from '../jobs/match-filters.js';
import { packScripts } from '../jobs/script-marks.js';
import { inParts } from './in-parts.js';
import type { WorkPool } from './pool.js';

/** A block's filter. */
export interface FilterOfBlock {
  /** Of the block, internal order. */
  readonly hash: Uint8Array;
  readonly filter: Uint8Array;
}

/** Says of each filter, in order, whether it may hold one of the scripts; none that does is missed. */
export type FilterSearch = (blocks: readonly FilterOfBlock[]) => Promise<boolean[]>;

/** @throws (the search) when the pool is closed */
export function pooledFilterSearch(pool: WorkPool, scripts: readonly Uint8Array[]): FilterSearch {
  const packed = packScripts(scripts);
  return searchInParts((rest) => pool.run<Uint8Array>('scan', 'matchFilters', packMatchJob(packed, rest)));
}

/** The same on the calling thread, for tests. */
export function inlineFilterSearch(scripts: readonly Uint8Array[]): FilterSearch {
  const packed = packScripts(scripts);
  return searchInParts(async (rest) => runMatchJob(packMatchJob(packed, rest), () => performance.now()));
}

function searchInParts(match: (rest: readonly FilterOfBlock[]) => Promise<Uint8Array>): FilterSearch {
  return async (blocks) => (await inParts(blocks, match)).map((hit) => hit === 1);
}
