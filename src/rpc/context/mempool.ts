// The mempool and fee estimates as methods use them. Amounts are satoshis, fee rates satoshis per 1,000 virtual bytes.
import type { MempoolEntry } from '../../mempool/entry.js';
import type { Mempool } from '../../mempool/mempool.js';
import type { PoolSnapshot } from '../../mempool/snapshot.js';

/** Entries that can be read across pauses until they are released, even if some leave the mempool meanwhile. */
export type PoolList = Pick<PoolSnapshot, 'length' | 'at' | 'release'>;

/** The mempool as methods use it. */
export type MempoolView = Pick<
  Mempool,
  | 'size'
  | 'sequence'
  | 'get'
  | 'spender'
  | 'ancestors'
  | 'descendants'
  | 'cluster'
  | 'accept'
  | 'acceptPackage'
  | 'testPackage'
  | 'prefetchTransactions'
  | 'byWtxid'
  | 'known'
  | 'recentOutcome'
  | 'addUnbroadcast'
  | 'announce'
  | 'prioritise'
  | 'hasFixedFee'
  | 'prioritised'
  | 'loaded'
  | 'returning'
  | 'settled'
> & {
  readonly fees: Pick<Mempool['fees'], 'enabled' | 'highestTarget' | 'smart' | 'raw'>;
  /** See Mempool.snapshot. */
  snapshot(yieldToUrgent?: () => unknown): Promise<PoolList>;
  /** See Mempool.holdEntries. */
  holdEntries(entries: readonly MempoolEntry[]): PoolList;
  stats(): Omit<ReturnType<Mempool['stats']>, 'accepted' | 'rejected' | 'replaced'>;
};

/** Parts of a saved mempool to import besides its transactions. */
export interface PoolImport {
  /** True to use the current time as time of entry; false: the time in the file. */
  readonly currentTime: boolean;
  readonly feeDeltas: boolean;
  readonly unbroadcast: boolean;
}

/** Mempool part of NodeContext. */
export interface MempoolContext {
  readonly mempool: MempoolView;
  /** Saves the mempool to its file. Rejects if that fails. @returns path of the file */
  savePool(): Promise<string>;
  /**
   * Offers the transactions of a saved mempool to the mempool.
   * @returns whether the file was read to its end; if not, the log says why
   */
  importPool(file: string, options: PoolImport): Promise<boolean>;
}
