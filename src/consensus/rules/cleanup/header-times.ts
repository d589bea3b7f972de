// BIP-0054: times at both ends of a retarget period, against the timewarp and Murch-Zawy attacks on the difficulty.
import type { HeaderContext } from '../../header-context.js';
import { type ChainParams, retargetInterval } from '../../params/chain-params.js';
import type { Verdict } from '../../state.js';
import { reject } from '../reject.js';

/** Seconds that the first block of a period may lie before its parent. */
export const CLEANUP_GRACE_SECONDS = 7_200;

/**
 * @returns the smallest time that these two rules allow the child of `prev`, seconds; negative infinity where they say
 * nothing
 */
export function cleanupMinTime(prev: HeaderContext, params: ChainParams): number {
  const interval = retargetInterval(params);
  const height = prev.height + 1;
  if (height % interval === 0) return prev.time - CLEANUP_GRACE_SECONDS;
  if (height % interval !== interval - 1) return Number.NEGATIVE_INFINITY;
  // The period's first block is an ancestor of its last: heights start at 0.
  return prev.ancestor(height - interval + 1)?.time ?? Number.NEGATIVE_INFINITY;
}

/** @param time of the header that is to become the child of `prev`, seconds */
export function checkCleanupTimes(time: number, prev: HeaderContext, params: ChainParams): Verdict {
  if (time >= cleanupMinTime(prev, params)) return null;
  return (prev.height + 1) % retargetInterval(params) === 0
    ? reject('invalid-header', 'time-timewarp-attack', "block's timestamp is too early on diff adjustment block")
    : reject('invalid-header', 'time-negative-interval', "block's timestamp is before the first one of its period");
}
