// What the coins cache tells of itself.

/** Figures for /metrics and getmemoryinfo. */
export interface CoinsCacheStats {
  readonly entries: number;
  readonly dirtyEntries: number;
  /** Bytes of entries and of the table that finds them. */
  readonly usedBytes: number;
  /** Bytes taken from the system, free cells included. */
  readonly allocatedBytes: number;
  /** Outpoints asked for by prefetch that were in memory. */
  readonly hits: number;
  /** Outpoints that prefetch had to read. */
  readonly misses: number;
  readonly evictions: number;
  /** Coins that were created and spent without ever reaching the store. */
  readonly freshSpends: number;
}
