// Rules of a header in its chain: bits, times, version.

import type { HeaderView } from '../block/header-view.js';
import type { HeaderContext } from '../header-context.js';
import { MAX_FUTURE_BLOCK_TIME } from '../limits.js';
import { type ChainParams, retargetInterval } from '../params/chain-params.js';
import type { Verdict } from '../state.js';
import { cleanupEnforced } from './cleanup/enforced.js';
import { checkCleanupTimes } from './cleanup/header-times.js';
import { reject } from './reject.js';
import { requiredBits } from './required-bits.js';
import { VersionBitsCache } from './versionbits.js';

/**
 * Seconds by which the first block of a period may precede its parent (BIP-0094). Templates respect this limit on all
 * networks.
 */
export const MAX_TIMEWARP = 600;

/**
 * Checks a header as the child of `prev`, in Core's order.
 * @param nowSeconds time of the node's clock
 * @param lastCheckpoint height of the highest checkpoint whose block is in the header tree; -1 for none
 * @param cache states of deployments already known in this tree
 */
export function checkHeaderContext(
  header: HeaderView,
  prev: HeaderContext,
  params: ChainParams,
  nowSeconds: number,
  lastCheckpoint = -1,
  cache = new VersionBitsCache(),
): Verdict {
  const height = prev.height + 1;
  const time = header.time;
  if (header.bits !== requiredBits(prev, time, params)) return reject('invalid-header', 'bad-diffbits', 'incorrect proof of work');
  if (height < lastCheckpoint) return reject('checkpoint', 'bad-fork-prior-to-checkpoint');
  if (time <= prev.medianTimePast()) return reject('invalid-header', 'time-too-old', "block's timestamp is too early");
  if (params.enforceBip94 && height % retargetInterval(params) === 0 && time < prev.time - MAX_TIMEWARP) {
    return reject('invalid-header', 'time-timewarp-attack', "block's timestamp is too early on diff adjustment block");
  }
  const cleanup = cleanupEnforced(prev, params, cache) ? checkCleanupTimes(time, prev, params) : null;
  if (cleanup !== null) return cleanup;
  if (time > nowSeconds + MAX_FUTURE_BLOCK_TIME) {
    return reject('time-future', 'time-too-new', 'block timestamp too far in the future');
  }
  const { version } = header;
  if (
    (version < 2 && height >= params.bip34Height) ||
    (version < 3 && height >= params.bip66Height) ||
    (version < 4 && height >= params.bip65Height)
  ) {
    const hex = (version >>> 0).toString(16).padStart(8, '0');
    return reject('invalid-header', `bad-version(0x${hex})`, `rejected nVersion=0x${hex} block`);
  }
  return null;
}
