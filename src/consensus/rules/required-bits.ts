// The bits a block must carry: retargeting every period, the late-block exception of test networks, and BIP-0094.
// Used by header rules and templates.

import type { HeaderContext } from '../header-context.js';
import { type ChainParams, retargetInterval } from '../params/chain-params.js';
import { decodeCompact, encodeCompact } from './bits.js';

// A period's target moves at most by this factor.
const MAX_STEP = 4;

/**
 * Required bits of the child of `prev`.
 * @param time the child's time in seconds, which matters on networks with the late-block exception
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
  // A node that hands out headers whose ancestors it lost is broken; period firsts exist below every period end.
  if (first === null) throw new RangeError('no block at the beginning of the period');
  return retarget(prev, first, params);
}

/** Bits of the newest block of this period that was not mined under the late-block exception. */
function lastRegularBits(prev: HeaderContext, limit: number, interval: number): number {
  let node = prev;
  while (node.prev !== null && node.height % interval !== 0 && node.bits === limit) node = node.prev;
  return node.bits;
}

/** Bits of the period after the one that `first` begins and `last` ends. */
export function retarget(last: HeaderContext, first: HeaderContext, params: ChainParams): number {
  if (params.noRetargeting) return last.bits;
  const goal = params.powTargetTimespan;
  // From first to last are interval - 1 gaps: the well-known off-by-one is part of the law.
  const span = Math.min(Math.max(last.time - first.time, goal / MAX_STEP), goal * MAX_STEP);
  const old = decodeCompact(params.enforceBip94 ? first.bits : last.bits).target;
  const next = BigInt.asUintN(256, old * BigInt(span)) / BigInt(goal);
  return encodeCompact(next > params.powLimit ? params.powLimit : next);
}
