// From which block on something may matter that began at a time.
import type { HeaderInfo } from '../context/chain.js';

/**
 * The first block of the best chain whose own or any earlier block's time reaches a moment, seconds; null when none
 * does.
 */
export function firstBlockSince<Node extends Pick<HeaderInfo, 'height' | 'maxTime'>>(
  chain: { readonly tip: Node; atHeight(height: number): Node | undefined },
  seconds: number,
): Node | null {
  const { tip } = chain;
  if (tip.maxTime < seconds) return null;
  // The largest time up to a block never falls.
  let low = 0;
  let high = tip.height;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (chain.atHeight(middle)!.maxTime < seconds) low = middle + 1;
    else high = middle;
  }
  return chain.atHeight(low)!;
}
