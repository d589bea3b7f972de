// Parts of a job. The records of the template stream between the node thread and the serving thread have these
// fields and more.

/** The block to build on. */
export interface JobTip {
  /** 32 bytes, internal order. */
  readonly prevHash: Uint8Array;
  /** Smallest time that a header may have: one second above the median of the eleven blocks before. Seconds since 1970. */
  readonly minTime: number;
  readonly bits: number;
  readonly target: bigint;
}

/** A choice of transactions for the next block. */
export interface JobTemplate {
  readonly height: number;
  readonly version: number;
  /** Subsidy and fees, satoshis. */
  readonly value: number;
  /** Output script of the witness commitment; null before segwit. */
  readonly commitment: Uint8Array | null;
  /** Sibling hashes on the coinbase's path to the merkle root, 32 bytes each in internal order, lowest first. */
  readonly branch: readonly Uint8Array[];
}
