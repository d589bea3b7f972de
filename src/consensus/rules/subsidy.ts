// New coins a block may create: 50 bitcoin, halved every period. Used by block rules, templates and RPC.

import { COIN_SATS } from '../limits.js';
import type { ChainParams } from '../params/chain-params.js';

/** Satoshi of a block's subsidy. */
export function blockSubsidy(height: number, params: Pick<ChainParams, 'halvingInterval'>): number {
  const halvings = Math.floor(height / params.halvingInterval);
  // After 64 halvings a 64-bit shift is undefined in C++, so the law says zero; by then it is anyway.
  return halvings >= 64 ? 0 : Math.floor((50 * COIN_SATS) / 2 ** halvings);
}
