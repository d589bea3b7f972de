// What one client asks of its template beyond the operator's options. Read from a request by
// rpc/front/template-request.ts.

/** Limits only make a block smaller: the operator's options hold beside them. */
export interface TemplateLimits {
  /** Weight of the whole block, with what is kept free for header and coinbase; null for the operator's. */
  readonly maxWeight: number | null;
  /** Signature operation cost of the whole block, with the coinbase's reserve of 400. */
  readonly maxSigops: number | null;
  /** Satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: number | null;
  /** Txids that stay out with all that depends on them: 64 lower case digits in display order, sorted, none twice. */
  readonly exclude: readonly string[];
}

/** Least and most that may be asked for. */
export const LEAST_WEIGHT = 4_000;
export const MOST_WEIGHT = 4_000_000;
export const LEAST_SIGOPS = 400;
export const MOST_SIGOPS = 80_000;
export const MOST_EXCLUDED = 1_000;

/** Equal for limits that make the same template. */
export function limitsKey({ maxWeight, maxSigops, minFeeRate, exclude }: TemplateLimits): string {
  return `${maxWeight}/${maxSigops}/${minFeeRate}/${exclude.join()}`;
}
