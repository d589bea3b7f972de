// Counters of compact blocks by outcome and cause, for metrics, the status page and getpeerinfo.

/**
 * Causes and the outcome of each. complete: the block was reconstructed without a request. asked: after a request for
 * missing transactions. failed: the whole block had to be requested.
 * mempool: the mempool had all transactions except the coinbase.
 * extra: some transactions came from the ring of remembered transactions.
 * prefilled: some transactions were prefilled in the compact block.
 * missing: some transactions were requested.
 * collision: two transactions of the block have the same short id.
 * mismatch: the reconstructed block has a wrong merkle root.
 * busy: too many blocks are in reconstruction.
 */
export const COMPACT_CAUSES = {
  mempool: 'complete',
  extra: 'complete',
  prefilled: 'complete',
  missing: 'asked',
  collision: 'failed',
  mismatch: 'failed',
  busy: 'failed',
} as const;

export type CompactCause = keyof typeof COMPACT_CAUSES;
export type CompactOutcome = (typeof COMPACT_CAUSES)[CompactCause];

export const COMPACT_CAUSE_NAMES = Object.keys(COMPACT_CAUSES) as readonly CompactCause[];

/** Source of a transaction of a block. */
export const TX_SOURCES = ['mempool', 'extra', 'prefilled', 'asked'] as const;
export type TxSource = (typeof TX_SOURCES)[number];

/** Totals of all peers. For a single peer only the outcomes are counted. */
export interface CompactStats {
  readonly blocks: Record<CompactCause, number>;
  /** Transactions of reconstructed blocks by source. */
  readonly txs: Record<TxSource, number>;
  /** Bytes of prefilled transactions in sent compact blocks, without coinbases. */
  prefilledBytes: number;
}

export type CompactOutcomes = Record<CompactOutcome, number>;

export const noOutcomes = (): CompactOutcomes => ({ complete: 0, asked: 0, failed: 0 });

export const createCompactStats = (): CompactStats => ({
  blocks: { mempool: 0, extra: 0, prefilled: 0, missing: 0, collision: 0, mismatch: 0, busy: 0 },
  txs: { mempool: 0, extra: 0, prefilled: 0, asked: 0 },
  prefilledBytes: 0,
});

/** Sums the causes of each outcome. */
export function outcomesOf({ blocks }: CompactStats): CompactOutcomes {
  const outcomes = noOutcomes();
  for (const cause of COMPACT_CAUSE_NAMES) outcomes[COMPACT_CAUSES[cause]] += blocks[cause];
  return outcomes;
}
