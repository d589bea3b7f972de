// From CoinbaseOutputConstraints to what a template keeps free (specification, 7.1). A segwit block needs 1,168 units
// beside the client's outputs: header 320, transaction count 12, coinbase 236, its script 400, output count 12,
// commitment 188; each byte of outputs costs four. Needs are rounded up to 21 sizes, from the least to a whole block,
// in which weight and sigops rise together: clients with nearly equal constraints share templates, and however many
// strangers ask for different ones, a full mempool is chosen from 21 times for a tip.
import { MAX_BLOCK_SIGOPS_COST, MAX_BLOCK_WEIGHT, WITNESS_SCALE_FACTOR } from '../consensus/limits.js';
import type { CoinbaseOutputConstraints } from './codec/template-messages.js';

const FIXED_WEIGHT = 1_168;
/** Sizes beside the least. */
const SIZES = 20;

export interface CoinbaseReserve {
  readonly weight: number;
  readonly sigops: number;
}

/** How many of the equal steps (as factors) from `least` to `most` it takes to reach `need`. */
const stepsTo = (need: number, least: number, most: number): number =>
  need <= least ? 0 : Math.ceil((SIZES * Math.log(need / least)) / Math.log(most / least) - 1e-9);

const sizeAt = (steps: number, least: number, most: number): number =>
  Math.max(least, Math.min(most, Math.ceil(least * (most / least) ** (steps / SIZES))));

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
  const weight = FIXED_WEIGHT + WITNESS_SCALE_FACTOR * maxAdditionalSize;
  if (weight > Math.min(maxWeight, MAX_BLOCK_WEIGHT) || maxAdditionalSigops > MAX_BLOCK_SIGOPS_COST) return null;
  const steps = Math.max(stepsTo(weight, least.weight, maxWeight), stepsTo(maxAdditionalSigops, least.sigops, MAX_BLOCK_SIGOPS_COST));
  return {
    weight: sizeAt(steps, least.weight, maxWeight),
    sigops: sizeAt(steps, least.sigops, MAX_BLOCK_SIGOPS_COST),
  };
}
