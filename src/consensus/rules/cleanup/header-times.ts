// BIP-0054: times at both ends of a retarget period, against the timewarp and Murch-Zawy attacks on the difficulty.
import type { HeaderContext } from '../../header-context.js';
import { type ChainParams, retargetInterval } from '../../params/chain-params.js';
import type { Verdict } from '../../state.js';
import { reject } from '../reject.js';

/** Seconds by which the first block of a period may precede its parent. */
export const CLEANUP_GRACE_SECONDS = 7_200;

/**
 * Returns the smallest time in seconds that both rules of BIP-0054 allow for the child of `prev`; negative infinity if
 * neither applies.
 */
export function cleanupMinTime(prev: HeaderContext, params: ChainParams): number {
  const interval = retargetInterval(params);
  const height = prev.height + 1;
  if (height % interval === 0) return prev.time - CLEANUP_GRACE_SECONDS;
  if (height % interval !== interval - 1) return Number.NEGATIVE_INFINITY;
  // The first block of the period is an ancestor of the last one, because heights start at 0.
  return prev.ancestor(height - interval + 1)?.time ?? Number.NEGATIVE_INFINITY;
}

/**
 * Checks the time of a header.
 * @param time time of the child of `prev`, in seconds
 */
export function checkCleanupTimes(time: number, prev: HeaderContext, params: ChainParams): Verdict {
  if (time >= cleanupMinTime(prev, params)) return null;
  return (prev.height + 1) % retargetInterval(params) === 0
    ? reject('invalid-header', 'time-timewarp-attack', "block's timestamp is too early on diff adjustment block")
    : reject('invalid-header', 'time-negative-interval', "block's timestamp is before the first one of its period");
}
