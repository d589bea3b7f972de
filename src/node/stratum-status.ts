// Figures of Stratum V1 miners for the status pages of the node and of adit-front.
import type { Status } from '../metrics/index.js';
import { SHARE_RESULTS, type WorkerPage } from '../stratum/index.js';
import type { Stratum } from './stratum.js';

/** Returns the Stratum V1 section; null without -stratum. */
export function stratumOf(stratum: Pick<Stratum, 'measures'> | null): Status['stratum'] {
  if (stratum === null) return null;
  const { serving, outcomes } = stratum.measures();
  return {
    miners: serving.minersOpen,
    workers: serving.workers,
    bestShare: serving.bestShare,
    lastShare: serving.lastShareMs / 1000,
    accepted: serving['shares accepted'],
    refused: SHARE_RESULTS.reduce((sum, result) => sum + (result === 'accepted' ? 0 : serving[`shares ${result}`]), 0),
    blocks: outcomes.accepted,
    lost: outcomes.lost + outcomes.invalid,
  };
}

/** Maximum number of workers in the table of the page. */
const SHOWN_WORKERS = 50;

/** Returns the workers of an address, or of all if it is empty, for the page's table. Null without -stratum. */
export async function workersOf(stratum: Pick<Stratum, 'workers'> | null, address: string): Promise<WorkerPage | null> {
  return (await stratum?.workers({ address: address === '' ? null : address, skip: 0, count: SHOWN_WORKERS })) ?? null;
}
