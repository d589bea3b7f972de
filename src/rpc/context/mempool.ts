// The mempool and fee estimates as methods use them. Amounts are satoshis, fee rates satoshis per 1,000 virtual bytes.
import type { KnownTransactions } from '../../chain/connect/known-block.js';
import type { Reject } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { FeeEstimator } from '../../mempool/fees/fee-estimator.js';
import type { MempoolStats } from '../../mempool/mempool.js';
import type { PackageResult } from '../../mempool/package/package-acceptor.js';
import type { TxOutcome } from '../../mempool/recent-outcomes.js';

/**
 * A transaction of the mempool with its relatives. Sums include the transaction itself; fees in sums are modified fees.
 * Read it immediately, or from a list that holds it.
 */
export interface PoolEntry {
  readonly txid: Uint8Array;
  readonly wtxid: Uint8Array;
  /** Parsed again at each access. */
  readonly tx: TxView;
  readonly fee: number;
  readonly modifiedFee: number;
  /** Sigop-adjusted virtual size. */
  readonly size: number;
  readonly weight: number;
  readonly time: number;
  readonly height: number;
  readonly descendantCount: number;
  readonly descendantSize: number;
  readonly descendantFees: number;
  readonly ancestorCount: number;
  readonly ancestorSize: number;
  readonly ancestorFees: number;
  /** True if the transaction itself signals replaceability (BIP-0125). */
  readonly signalsReplacement: boolean;
  readonly parents: readonly PoolEntry[];
  readonly children: readonly PoolEntry[];
  readonly unbroadcast: boolean;
}

/** Entries that can be read across pauses until they are released, even if some leave the mempool meanwhile. */
export interface PoolList {
  readonly length: number;
  at(i: number): PoolEntry;
  release(): void;
}

/** Result of offering a transaction to the mempool. */
export interface PoolVerdict {
  /** Why the transaction was rejected; null if it was (or would be) accepted. */
  readonly reject: Reject | null;
  /** Base fee in satoshis, without prioritisetransaction. */
  readonly fee: number;
  readonly vsize: number;
  /** Fee including prioritisetransaction. */
  readonly modifiedFee: number;
  /** Sigop-adjusted virtual size, if the check reached it. */
  readonly size: number;
}

/** Parts of a saved mempool to import besides its transactions. */
export interface PoolImport {
  /** True to use the current time as time of entry; false: the time in the file. */
  readonly currentTime: boolean;
  readonly feeDeltas: boolean;
  readonly unbroadcast: boolean;
}

/** Options for offering a transaction. */
export interface PoolOffer {
  /** True to check the transaction without adding it. */
  readonly testOnly?: boolean;
  /** Reject the transaction if its base fee is higher. */
  readonly maxFeeSats?: number;
}

/** The mempool as methods use it; mempool/mempool.ts implements it. */
export interface PoolAccess {
  readonly size: number;
  /** Core's mempool sequence number. */
  readonly sequence: number;
  get(txid: Uint8Array): PoolEntry | undefined;
  /** Returns the entry that spends an outpoint (36 bytes). */
  spender(outpoint: Uint8Array): PoolEntry | undefined;
  /** Returns all current entries, in Core's listing order. */
  snapshot(yieldToUrgent?: () => unknown): Promise<PoolList>;
  /** Holds some entries, in the given order. */
  holdEntries(entries: readonly PoolEntry[]): PoolList;
  /** Returns relatives ordered by the bytes of their txids, without the entry itself. */
  ancestors(entry: PoolEntry): PoolEntry[];
  descendants(entry: PoolEntry): PoolEntry[];
  /**
   * Returns the chunks of an entry's cluster, best first. Fees are modified fees in satoshis, weights are
   * sigop-adjusted.
   */
  cluster(entry: PoolEntry): { readonly fee: number; readonly weight: number; readonly entries: readonly PoolEntry[] }[];
  stats(): Omit<MempoolStats, 'accepted' | 'rejected' | 'replaced'>;
  accept(tx: TxView, offer: PoolOffer): PoolVerdict | Promise<PoolVerdict>;
  /** Offers a package: a child with its unconfirmed parents. */
  acceptPackage(txs: readonly TxView[], options: { readonly maxFeeRate?: number }): Promise<PackageResult>;
  /** Checks several transactions one after another, without adding them. */
  testPackage(txs: readonly TxView[]): Promise<PackageResult>;
  /** Starts to verify the scripts of transactions that will be offered next, in this order. */
  prefetchTransactions(txs: readonly TxView[]): Promise<void>;
  /** Returns a copy of the transaction with this wtxid; undefined if it is not in the mempool. */
  byWtxid(wtxid: Uint8Array): TxView | undefined;
  /**
   * Returns the transactions of a block if all of them are in the mempool.
   * @param wtxids concatenated, 32 bytes each
   */
  known(wtxids: Uint8Array): KnownTransactions | null;
  /** Returns why a transaction was rejected or removed, as far as the mempool remembers it. */
  recentOutcome(txid: Uint8Array): TxOutcome | undefined;
  /** Marks a transaction as unbroadcast: it is announced again until a peer requests it. */
  addUnbroadcast(txid: Uint8Array): void;
  /** Announces a transaction to peers once. */
  announce(txid: Uint8Array): void;
  prioritise(txid: Uint8Array, feeDeltaSats: number): void;
  /** Returns whether the transaction is in the mempool and must not pay a fee. */
  hasFixedFee(txid: Uint8Array): boolean;
  /** Returns all prioritisations that are not zero, by txid in internal order. */
  prioritised(): readonly { readonly txid: Uint8Array; readonly delta: number; readonly entry: PoolEntry | undefined }[];
  /** True if the saved mempool has been loaded, or none was to be loaded. */
  readonly loaded: boolean;
  /** Fee estimates; 0: no estimate. */
  readonly fees: Pick<FeeEstimator, 'enabled' | 'highestTarget' | 'smart' | 'raw'>;
  /** True if transactions of disconnected blocks are being added again. */
  readonly returning: boolean;
  /** Resolves when `returning` is false. */
  settled(): Promise<void>;
}

/** Mempool part of NodeContext. */
export interface MempoolContext {
  readonly mempool: PoolAccess;
  /** Saves the mempool to its file. Rejects if that fails. @returns path of the file */
  savePool(): Promise<string>;
  /**
   * Offers the transactions of a saved mempool to the mempool.
   * @returns whether the file was read to its end; if not, the log says why
   */
  importPool(file: string, options: PoolImport): Promise<boolean>;
}
