// Finds the first block that may be relevant for something that started at a given time.
import type { HeaderInfo } from '../context/chain.js';

/**
 * Returns the first block of the active chain at which the largest time so far is at least `seconds`; null if there is
 * none.
 */
export function firstBlockSince<Node extends Pick<HeaderInfo, 'height' | 'maxTime'>>(
  chain: { readonly tip: Node; atHeight(height: number): Node | undefined },
  seconds: number,
): Node | null {
  const { tip } = chain;
  if (tip.maxTime < seconds) return null;
  // The largest time up to a block never decreases, so a binary search works.
  let low = 0;
  let high = tip.height;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (chain.atHeight(middle)!.maxTime < seconds) low = middle + 1;
    else high = middle;
  }
  return chain.atHeight(low)!;
}
