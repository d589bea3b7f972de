// Block subsidy: 50 bitcoin, halved after each halving interval.

import { COIN_SATS } from '../limits.js';
import type { ChainParams } from '../params/chain-params.js';

/** Returns the subsidy of a block in satoshis. */
export function blockSubsidy(height: number, params: Pick<ChainParams, 'halvingInterval'>): number {
  const halvings = Math.floor(height / params.halvingInterval);
  // Core returns zero after 64 halvings, because a 64-bit shift would be undefined in C++. The subsidy is zero by then
  // in any case.
  return halvings >= 64 ? 0 : Math.floor((50 * COIN_SATS) / 2 ** halvings);
}
