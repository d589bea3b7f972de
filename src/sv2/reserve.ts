// From CoinbaseOutputConstraints to what a template keeps free (specification, 7.1). A segwit block needs 1,168 units beside the client's
// outputs: header 320, transaction count 12, coinbase 236, its script 400, output count 12, commitment 188; each byte of outputs costs four.
// Needs are rounded up to a few sizes, so that clients with nearly equal constraints share templates and a stranger cannot make the node build
// thousands of them.
import { MAX_BLOCK_SIGOPS_COST, MAX_BLOCK_WEIGHT, WITNESS_SCALE_FACTOR } from '../consensus/limits.js';
import type { CoinbaseOutputConstraints } from './codec/template-messages.js';

const BESIDE_OUTPUTS = 1_168;
/** Steps between two doublings. */
const STEPS = 4;

export interface CoinbaseReserve {
  readonly weight: number;
  readonly sigops: number;
}

/** The next size from `least` on: each is larger than the one before by the fourth root of two; the last is `most`. */
function roundedUp(need: number, least: number, most: number): number {
  if (need <= least) return least;
  const steps = Math.ceil(Math.log2(need / least) * STEPS - 1e-9);
  return Math.min(most, Math.max(need, Math.ceil(least * 2 ** (steps / STEPS))));
}

/**
 * What a template for these constraints keeps free.
 * @param least what every template does @param maxWeight of a block made here
 * @returns null when no block with such a coinbase is possible
 */
export function reserveFor(
  { maxAdditionalSize, maxAdditionalSigops }: CoinbaseOutputConstraints,
  least: CoinbaseReserve,
  maxWeight: number,
): CoinbaseReserve | null {
  const weight = BESIDE_OUTPUTS + WITNESS_SCALE_FACTOR * maxAdditionalSize;
  if (weight > Math.min(maxWeight, MAX_BLOCK_WEIGHT) || maxAdditionalSigops > MAX_BLOCK_SIGOPS_COST) return null;
  return {
    weight: roundedUp(weight, least.weight, maxWeight),
    sigops: roundedUp(maxAdditionalSigops, least.sigops, MAX_BLOCK_SIGOPS_COST),
  };
}
