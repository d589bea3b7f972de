// Limits that a client sets for its template, in addition to those of the operator's options.

/** Limits of a template. A client can only make blocks smaller, because the operator's limits apply too. */
export interface TemplateLimits {
  /** Weight of the whole block, including the reserved weight; null for the operator's limit. */
  readonly maxWeight: number | null;
  /** Signature operation cost of the whole block, including the coinbase's reserve of 400. */
  readonly maxSigops: number | null;
  /** Lowest fee rate in satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: number | null;
  /** Txids to exclude with their descendants: 64 lower case digits in display order, sorted, without duplicates. */
  readonly exclude: readonly string[];
}

/** Smallest and largest values that a client may request, in the units of TemplateLimits. */
export const LEAST_WEIGHT = 4_000;
export const MOST_WEIGHT = 4_000_000;
export const LEAST_SIGOPS = 400;
export const MOST_SIGOPS = 80_000;
export const MOST_EXCLUDED = 1_000;

/** Returns a key for limits. Limits with equal keys give the same template. */
export function limitsKey({ maxWeight, maxSigops, minFeeRate, exclude }: TemplateLimits): string {
  return `${maxWeight}/${maxSigops}/${minFeeRate}/${exclude.join()}`;
}
