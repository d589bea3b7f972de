// Figures of the coins cache.

/** Figures for /metrics and getmemoryinfo. */
export interface CoinsCacheStats {
  readonly entries: number;
  readonly dirtyEntries: number;
  /** Bytes of entries and of the hash table. */
  readonly usedBytes: number;
  /** Bytes allocated from the system, including free cells. */
  readonly allocatedBytes: number;
  /** Number of prefetched outpoints that were in memory. */
  readonly hits: number;
  /** Number of prefetched outpoints that were read from the database. */
  readonly misses: number;
  readonly evictions: number;
  /** Number of prefetches that wait for the database. */
  readonly pendingPrefetches: number;
  /** Number of coins that were created and spent without being written to the database. */
  readonly freshSpends: number;
}
