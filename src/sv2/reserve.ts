// Computes the weight and sigops that a template keeps free, from CoinbaseOutputConstraints (specification, 7.1). A
// segwit block needs 1,168 weight units besides the client's outputs: header 320, transaction count 12, coinbase 236,
// its script 400, output count 12, commitment 188. Each byte of outputs adds four.
//
// Needs are rounded up to one of 21 sizes between the minimum and a whole block, in which weight and sigops rise
// together. Clients with similar constraints therefore share templates, and however many different constraints clients
// send, the mempool is selected from at most 21 times per tip.
import { MAX_BLOCK_SIGOPS_COST, MAX_BLOCK_WEIGHT, WITNESS_SCALE_FACTOR } from '../consensus/limits.js';
import type { CoinbaseOutputConstraints } from './codec/template-messages.js';

const FIXED_WEIGHT = 1_168;
/** Number of sizes above the minimum. */
const SIZES = 20;

export interface CoinbaseReserve {
  readonly weight: number;
  readonly sigops: number;
}

/** Returns how many of the SIZES equal factors that lead from `least` to `most` are needed to reach `need`. */
const stepsTo = (need: number, least: number, most: number): number =>
  need <= least ? 0 : Math.ceil((SIZES * Math.log(need / least)) / Math.log(most / least) - 1e-9);

const sizeAt = (steps: number, least: number, most: number): number =>
  Math.max(least, Math.min(most, Math.ceil(least * (most / least) ** (steps / SIZES))));

/**
 * Returns the reserve that a template for these constraints leaves free.
 * @param least reserve of every template
 * @param maxWeight weight limit of blocks made here
 * @returns null if no block with such a coinbase is possible
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
