// BIP-0030: a transaction must not have the txid of an earlier one that still has unspent outputs. BIP-0034 prevents
// such duplicates for a long range of heights. There the expensive lookup is skipped.

import { equalBytes, hashFromHex } from '../bytes/hex.js';
import type { HeaderContext } from '../header-context.js';
import type { ChainParams } from '../params/chain-params.js';

// Height from which duplicates are possible again: coinbases from before BIP-0034 may contain this height or a later
// one by chance.
const BIP34_IMPLIES_BIP30_LIMIT = 1_983_702;
// Two early blocks of main whose coinbases repeat earlier ones. They are exempt.
const REPEATS: ReadonlyMap<number, Uint8Array> = new Map([
  [91_842, hashFromHex('00000000000a4d0a398161ffc163c503763b1f4360639393e0e4c8e300e0caec')],
  [91_880, hashFromHex('00000000000743f190a18c5577a3c2d2a1f610ae9601ac046a38084ccb7cd721')],
]);

/**
 * Returns whether a block could repeat a transaction and be valid otherwise. If every coinbase contains its height,
 * coinbases never repeat, and for any other transaction the inputs are missing the second time.
 */
export function canRepeat({ bip34Height }: ChainParams): boolean {
  return bip34Height > 1;
}

/**
 * Returns whether the block `hash`, child of `prev`, must be checked for overwriting unspent outputs.
 * @param hash null for a block that is being made
 */
export function enforceBip30(prev: HeaderContext, hash: Uint8Array | null, params: ChainParams): boolean {
  const height = prev.height + 1;
  if (height >= BIP34_IMPLIES_BIP30_LIMIT) return true;
  const repeat = REPEATS.get(height);
  if (repeat !== undefined && hash !== null && equalBytes(repeat, hash)) return false;
  if (params.bip34Hash === null) return true;
  const activation = prev.ancestor(params.bip34Height);
  return activation === null || !equalBytes(activation.hash, params.bip34Hash);
}
