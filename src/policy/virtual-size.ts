// Size for fee rates: BIP-0141 virtual size, increased for transactions with many signature operations. Otherwise a
// sender could use up a block's limit on signature operations cheaply.
import { WITNESS_SCALE_FACTOR } from '../consensus/limits.js';

/**
 * Returns the sigop-adjusted virtual size in bytes, rounded up.
 * @param sigopCost BIP-0141 signature operation cost
 */
export function adjustedVirtualSize(weight: number, sigopCost: number, bytesPerSigop: number): number {
  return Math.ceil(Math.max(weight, sigopCost * bytesPerSigop) / WITNESS_SCALE_FACTOR);
}
