// Matches block filters against scripts on the pool's threads. Hashing a set of scripts for some hundred thousand
// blocks would take too long on the node thread.
import { packMatchJob, runMatchJob } from '../jobs/match-filters.js';
import { inParts } from './in-parts.js';
import type { WorkPool } from './pool.js';

export interface FilterOfBlock {
  /** Hash of the block, internal order. */
  readonly hash: Uint8Array;
  readonly filter: Uint8Array;
}

/** Returns for each filter, in order, true if it may match one of the scripts. No match is missed. */
export type FilterSearch = (blocks: readonly FilterOfBlock[]) => Promise<boolean[]>;

/** @param packed scripts (jobs/script-marks.ts) @throws (the search) if the pool is closed */
export function pooledFilterSearch(pool: WorkPool, packed: SharedArrayBuffer): FilterSearch {
  return searchInParts((rest) => pool.run<Uint8Array>('scan', 'matchFilters', packMatchJob(packed, rest)));
}

/** Search on the calling thread, for tests. */
export function inlineFilterSearch(packed: SharedArrayBuffer): FilterSearch {
  return searchInParts(async (rest) => runMatchJob(packMatchJob(packed, rest), () => performance.now()));
}

function searchInParts(match: (rest: readonly FilterOfBlock[]) => Promise<Uint8Array>): FilterSearch {
  return async (blocks) => (await inParts(blocks, match)).map((hit) => hit === 1);
}
