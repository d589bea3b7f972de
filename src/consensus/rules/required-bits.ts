// Required bits of a block: a new target every period, the exception for late blocks on test networks, and BIP-0094.

import type { HeaderContext } from '../header-context.js';
import { type ChainParams, retargetInterval } from '../params/chain-params.js';
import { decodeCompact, encodeCompact } from './bits.js';

// Factor by which a target may change at most.
const MAX_STEP = 4;

/**
 * Returns the required bits of the child of `prev`.
 * @param time the child's time in seconds. It matters on networks with the exception for late blocks
 */
export function requiredBits(prev: HeaderContext, time: number, params: ChainParams): number {
  const interval = retargetInterval(params);
  if ((prev.height + 1) % interval !== 0) {
    if (!params.allowMinDifficultyBlocks) return prev.bits;
    const limit = encodeCompact(params.powLimit);
    if (time > prev.time + params.powTargetSpacing * 2) return limit;
    return lastRegularBits(prev, limit, interval);
  }
  const first = prev.ancestor(prev.height - (interval - 1));
  // Cannot happen: the tree contains all ancestors, and below every end of a period is its start.
  if (first === null) throw new RangeError('the first block of the difficulty period is missing');
  return retarget(prev, first, params);
}

/** Returns the bits of the newest block of this period that did not use the exception for late blocks. */
function lastRegularBits(prev: HeaderContext, limit: number, interval: number): number {
  let node = prev;
  while (node.prev !== null && node.height % interval !== 0 && node.bits === limit) node = node.prev;
  return node.bits;
}

/** Returns the bits of the period that follows the one from `first` to `last`. */
export function retarget(last: HeaderContext, first: HeaderContext, params: ChainParams): number {
  if (params.noRetargeting) return last.bits;
  const goal = params.powTargetTimespan;
  // From first to last there are only interval - 1 gaps. This off-by-one error is part of consensus.
  const span = Math.min(Math.max(last.time - first.time, goal / MAX_STEP), goal * MAX_STEP);
  const old = decodeCompact(params.enforceBip94 ? first.bits : last.bits).target;
  const next = BigInt.asUintN(256, old * BigInt(span)) / BigInt(goal);
  return encodeCompact(next > params.powLimit ? params.powLimit : next);
}
