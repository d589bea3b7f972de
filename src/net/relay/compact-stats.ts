// What became of compact blocks, counted by cause: for metrics, the page and getpeerinfo.

/** Causes by what they led to: put together from what was here, after a question, or fetched whole. */
export const COMPACT_CAUSES = {
  /** complete: the mempool had everything but the coinbase; the extra pool helped; what the sender had added helped. */
  mempool: 'complete',
  extra: 'complete',
  prefilled: 'complete',
  missing: 'asked',
  /** failed: two of the block had one short id; it came out wrong; too many were being put together. */
  collision: 'failed',
  mismatch: 'failed',
  busy: 'failed',
} as const;

export type CompactCause = keyof typeof COMPACT_CAUSES;
export type CompactOutcome = (typeof COMPACT_CAUSES)[CompactCause];

export const COMPACT_CAUSE_NAMES = Object.keys(COMPACT_CAUSES) as readonly CompactCause[];

/** Where a transaction of a block came from. */
export const TX_SOURCES = ['mempool', 'extra', 'prefilled', 'asked'] as const;
export type TxSource = (typeof TX_SOURCES)[number];

/** Counters; peers have one each of outcomes. */
export interface CompactStats {
  readonly blocks: Record<CompactCause, number>;
  /** Transactions of blocks that were put together. */
  readonly txs: Record<TxSource, number>;
  /** Bytes of transactions added to compact blocks that were sent, coinbases left out. */
  prefilledBytes: number;
}

export type CompactOutcomes = Record<CompactOutcome, number>;

export const noOutcomes = (): CompactOutcomes => ({ complete: 0, asked: 0, failed: 0 });

export const createCompactStats = (): CompactStats => ({
  blocks: { mempool: 0, extra: 0, prefilled: 0, missing: 0, collision: 0, mismatch: 0, busy: 0 },
  txs: { mempool: 0, extra: 0, prefilled: 0, asked: 0 },
  prefilledBytes: 0,
});

/** How many blocks came to what. */
export function outcomesOf({ blocks }: CompactStats): CompactOutcomes {
  const outcomes = noOutcomes();
  for (const cause of COMPACT_CAUSE_NAMES) outcomes[COMPACT_CAUSES[cause]] += blocks[cause];
  return outcomes;
}
