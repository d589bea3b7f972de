// The size that fees are counted on: BIP-0141 virtual size, raised for transactions heavy in signature checks so that a
// block's sigop limit can't be used up cheaply. Used by the mempool; templates read the cached value.
import { WITNESS_SCALE_FACTOR } from '../consensus/limits.js';

/** Sigop-adjusted virtual size in bytes, rounded up. @param sigopCost BIP-0141 sigop cost */
export function adjustedVirtualSize(weight: number, sigopCost: number, bytesPerSigop: number): number {
  return Math.ceil(Math.max(weight, sigopCost * bytesPerSigop) / WITNESS_SCALE_FACTOR);
}
