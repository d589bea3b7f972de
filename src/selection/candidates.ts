// Candidates for a block as numbers: one slot per transaction, one array per figure. The assembler's mirror writes
// them, ranking and selection read them. Slots are reused, so only used ones have valid figures.

/** Columns by slot. Fees in satoshis, sizes in sigop-adjusted virtual bytes. Sums include the transaction itself. */
export interface Candidates {
  readonly fee: Float64Array;
  readonly modifiedFee: Float64Array;
  readonly size: Float64Array;
  readonly weight: Float64Array;
  readonly sigops: Float64Array;
  readonly ancestorCount: Float64Array;
  readonly ancestorSize: Float64Array;
  /** Modified fees of the transaction and its unconfirmed ancestors. */
  readonly ancestorFees: Float64Array;
  readonly ancestorSigops: Float64Array;
  /** nLockTime if it applies, else 0. */
  readonly lockTime: Float64Array;
  readonly hasWitness: Uint8Array;
  /** Txids, 32 bytes per slot, internal order. */
  readonly txids: Uint8Array;
  /** Slots of parents and children; empty for unused slots. */
  readonly parents: readonly (readonly number[])[];
  readonly children: readonly (readonly number[])[];
}

/** Compares two txids by their stored bytes, first byte first. Core breaks ties this way. */
export function compareTxids(txids: Uint8Array, a: number, b: number): number {
  for (let i = a * 32, k = b * 32, end = i + 32; i < end; i++, k++) {
    if (txids[i] !== txids[k]) return txids[i] - txids[k];
  }
  return 0;
}

/**
 * Compares fee rates as Core 0.21 does: by cross products in doubles, higher rate first, ties by txid.
 * @returns negative if (feeA, sizeA) of slot a comes first
 */
export function compareFeeRates(txids: Uint8Array, a: number, feeA: number, sizeA: number, b: number, feeB: number, sizeB: number): number {
  const left = feeA * sizeB;
  const right = feeB * sizeA;
  return left === right ? compareTxids(txids, a, b) : right - left;
}
