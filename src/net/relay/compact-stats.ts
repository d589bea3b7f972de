// Counters of compact blocks by outcome and cause, for metrics, the status page and getpeerinfo.

/** Outcome of each cause: reconstructed at once, after a request for transactions, or fetched as a whole. */
export const COMPACT_CAUSES = {
  /** complete: the mempool had everything except the coinbase; remembered transactions helped; prefilled transactions helped. */
  mempool: 'complete',
  extra: 'complete',
  prefilled: 'complete',
  missing: 'asked',
  /** failed: two transactions of the block have one short id; the merkle root is wrong; too many blocks are in reconstruction. */
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
