// The mempool and fee estimates as methods use them. Amounts are satoshis, fee rates satoshis per 1,000 virtual bytes.
import type { Mempool, PoolSnapshot } from '../../mempool/index.js';
import type { Compat } from '../../policy/compat.js';
import type { RawBytes } from '../wire/values.js';

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
  | 'tables'
  | 'returning'
  | 'settled'
> & {
  readonly fees: Pick<Mempool['fees'], 'enabled' | 'highestTarget' | 'smart' | 'raw'>;
  /** See Mempool.snapshot. */
  snapshot(): Promise<PoolList>;
  stats(): Omit<ReturnType<Mempool['stats']>, 'accepted' | 'rejected' | 'replaced'>;
};

/** Parts of a saved mempool to import besides its transactions. */
export interface PoolImport {
  /** True to use the current time as time of entry; false: the time in the file. */
  readonly currentTime: boolean;
  readonly feeDeltas: boolean;
  readonly unbroadcast: boolean;
}

/** Settings on which the texts depend. */
export interface TextStyle {
  readonly compat: Compat;
  /** True to show bip125-replaceable in releases that do not (-deprecatedrpc=bip125). */
  readonly bip125: boolean;
  /** True if getrawmempool uses block order. */
  readonly byChunks: boolean;
}

/** ids: all txids. sequence: the same with the mempool's sequence number. entries: all entries. diagram: the fee-rate diagram. */
export type TextForm = 'ids' | 'sequence' | 'entries' | 'diagram';

/** Texts about the mempool as methods use them (rpc/node/mempool-texts.ts). */
export interface MempoolTextAccess {
  readonly style: TextStyle;
  /** Returns a text about the whole mempool, as it is now. Call it when the mempool is settled. */
  whole(form: TextForm): RawBytes | Promise<RawBytes>;
  /**
   * Returns a text about some rows of the mempool, as they are now.
   * @param find returns the rows; called again if the text has to wait
   */
  of(form: 'ids' | 'entries', find: () => Int32Array): RawBytes | Promise<RawBytes>;
}

/** Mempool part of NodeContext. */
export interface MempoolContext {
  readonly mempool: MempoolView;
  readonly mempoolTexts: MempoolTextAccess;
  /** Saves the mempool to its file. Rejects if that fails. @returns path of the file */
  savePool(): Promise<string>;
  /**
   * Offers the transactions of a saved mempool to the mempool.
   * @returns whether the file was read to its end; if not, the log says why
   */
  importPool(file: string, options: PoolImport): Promise<boolean>;
}
