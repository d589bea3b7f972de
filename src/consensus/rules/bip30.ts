// BIP-0030: a transaction must not have the id of one with unspent outputs. BIP-0034 prevents such duplicates for a
// long range of heights, so the expensive lookup is skipped where history proves it unnecessary.

import { equalBytes, hashFromHex } from '../bytes/hex.js';
import type { HeaderContext } from '../header-context.js';
import type { ChainParams } from '../params/chain-params.js';

// Height from which an old coinbase might name a future height by chance, so duplicates are possible again.
const BIP34_IMPLIES_BIP30_LIMIT = 1_983_702;
// Two early blocks of main that repeat a coinbase of their time.
const REPEATS: ReadonlyMap<number, Uint8Array> = new Map([
  [91_842, hashFromHex('00000000000a4d0a398161ffc163c503763b1f4360639393e0e4c8e300e0caec')],
  [91_880, hashFromHex('00000000000743f190a18c5577a3c2d2a1f610ae9601ac046a38084ccb7cd721')],
]);

/**
 * Returns whether a block can repeat a transaction and be valid otherwise. With the height in every coinbase, coinbases
 * never repeat, and other transactions lack their inputs the second time.
 */
export function canRepeat({ bip34Height }: ChainParams): boolean {
  return bip34Height > 1;
}

/** Returns whether the block `hash`, child of `prev`, must be checked for overwriting unspent outputs. */
export function enforceBip30(prev: HeaderContext, hash: Uint8Array | null, params: ChainParams): boolean {
  const height = prev.height + 1;
  if (height >= BIP34_IMPLIES_BIP30_LIMIT) return true;
  const repeat = REPEATS.get(height);
  if (repeat !== undefined && hash !== null && equalBytes(repeat, hash)) return false;
  if (params.bip34Hash === null) return true;
  const activation = prev.ancestor(params.bip34Height);
  return activation === null || !equalBytes(activation.hash, params.bip34Hash);
}
