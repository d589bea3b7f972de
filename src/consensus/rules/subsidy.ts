// Block subsidy: 50 bitcoin, halved every period.

import { COIN_SATS } from '../limits.js';
import type { ChainParams } from '../params/chain-params.js';

/** Returns the subsidy of a block in satoshis. */
export function blockSubsidy(height: number, params: Pick<ChainParams, 'halvingInterval'>): number {
  const halvings = Math.floor(height / params.halvingInterval);
  // After 64 halvings a 64-bit shift is undefined in C++, so the rule says zero; the subsidy is zero by then anyway.
  return halvings >= 64 ? 0 : Math.floor((50 * COIN_SATS) / 2 ** halvings);
}
