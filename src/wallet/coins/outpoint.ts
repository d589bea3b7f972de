// Encodes outpoints as in transactions: txid in internal byte order, output index as 4 bytes little-endian.

import { hashKey } from '../../consensus/bytes/hex.js';

/** Returns an outpoint as in a transaction: txid, and output index as a little-endian 32-bit number. */
export function outpointOf(txid: Uint8Array, vout: number): Uint8Array {
  const outpoint = new Uint8Array(36);
  outpoint.set(txid);
  outpoint[32] = vout;
  outpoint[33] = vout >>> 8;
  outpoint[34] = vout >>> 16;
  outpoint[35] = vout >>> 24;
  return outpoint;
}

/**
 * Returns whether lockunspent has locked an outpoint.
 * @param locked the locked outpoints by hashKey (Ledger.locked)
 */
export const isLockedCoin = ({ locked }: { readonly locked: ReadonlyMap<string, unknown> }, outpoint: Uint8Array): boolean =>
  locked.size > 0 && locked.has(hashKey(outpoint));
