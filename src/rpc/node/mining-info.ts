// Shared by getmininginfo and getnetworkhashps.
import { retargetInterval } from '../../consensus/params/chain-params.js';
import type { HeaderInfo } from '../context/chain.js';
import type { NodeContext } from '../context/node.js';

export const DEFAULT_LOOKBACK = 120;

const WORD = 1n << 32n;

/** Converts a 256-bit number to a double, summed word by word from the lowest like Core's getdouble. */
function toDouble(value: bigint): number {
  let sum = 0;
  let factor = 1;
  for (let rest = value; rest > 0n; rest /= WORD) {
    sum += factor * Number(rest % WORD);
    factor *= 4294967296;
  }
  return sum;
}

/**
 * Estimates the hashes per second from the blocks before a height. A height outside the chain below the tip means the
 * tip.
 * @param lookback number of blocks; 0 or less: those since the last change of difficulty
 */
export function networkHashes(chain: Pick<NodeContext['chain'], 'tip' | 'atHeight' | 'params'>, lookback: number, height = -1): number {
  const last = height >= 0 && height < chain.tip.height ? (chain.atHeight(height) ?? chain.tip) : chain.tip;
  if (last.height === 0) return 0;
  const wanted = lookback <= 0 ? (last.height % retargetInterval(chain.params)) + 1 : lookback;
  let first: HeaderInfo = last;
  let minTime = last.time;
  let maxTime = last.time;
  for (let i = Math.min(wanted, last.height); i > 0 && first.prev; i--) {
    first = first.prev;
    minTime = Math.min(minTime, first.time);
    maxTime = Math.max(maxTime, first.time);
  }
  return minTime === maxTime ? 0 : toDouble(last.chainWork - first.chainWork) / (maxTime - minTime);
}
