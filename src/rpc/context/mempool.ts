// What methods need of the mempool and of fee estimates; amounts are satoshis, rates satoshis per 1000 virtual bytes.
import type { KnownTransactions } from '../../chain/connect/known-block.js';
import type { Reject } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { FeeEstimator } from '../../mempool/fees/fee-estimator.js';
import type { MempoolStats } from '../../mempool/mempool.js';
import type { PackageResult } from '../../mempool/package/package-acceptor.js';
import type { TxOutcome } from '../../mempool/recent-outcomes.js';

/**
 * A transaction of the pool with its place among the others; sums include itself, fees in sums are modified fees. To be
 * read at once, or from a list that is held.
 */
export interface PoolEntry {
  readonly txid: Uint8Array;
  readonly wtxid: Uint8Array;
  /** Read anew at each access. */
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
  /** BIP-0125: the transaction itself opts in. */
  readonly signalsReplacement: boolean;
  readonly parents: readonly PoolEntry[];
  readonly children: readonly PoolEntry[];
  readonly unbroadcast: boolean;
}

/** Entries that may be read over pauses until they are released, also when some leave the pool meanwhile. */
export interface PoolList {
  readonly length: number;
  at(i: number): PoolEntry;
  release(): void;
}

/** What came of an offered transaction. */
export interface PoolVerdict {
  /** Null when it was (or would be) taken. */
  readonly reject: Reject | null;
  /** Base fee in satoshis and BIP-0141 virtual size. */
  readonly fee: number;
  readonly vsize: number;
  /** With what prioritisetransaction added. */
  readonly modifiedFee: number;
  /** Sigop-adjusted virtual size, when it came to that. */
  readonly size: number;
}

/** What of a saved pool counts besides its transactions. */
export interface PoolImport {
  /** They come now, not when the file says. */
  readonly currentTime: boolean;
  readonly feeDeltas: boolean;
  readonly unbroadcast: boolean;
}

/** How a transaction is offered. */
export interface PoolOffer {
  /** Only check. */
  readonly testOnly?: boolean;
  /** Above this base fee it is not kept. */
  readonly maxFeeSats?: number;
}

/** The pool as RPC sees it; mempool/mempool.ts is one. */
export interface PoolAccess {
  readonly size: number;
  /** Core's mempool sequence number. */
  readonly sequence: number;
  get(txid: Uint8Array): PoolEntry | undefined;
  /** Who spends an outpoint, 36 bytes. */
  spender(outpoint: Uint8Array): PoolEntry | undefined;
  /** Everything, in Core's listing order, as it is at the call. */
  snapshot(yieldToUrgent?: () => unknown): Promise<PoolList>;
  /** These, in this order. */
  holdEntries(entries: readonly PoolEntry[]): PoolList;
  /** Relatives by the bytes of their txids, the entry itself left out. */
  ancestors(entry: PoolEntry): PoolEntry[];
  descendants(entry: PoolEntry): PoolEntry[];
  /**
   * The cluster of an entry, cut into what is mined as one, best first. Modified fees in satoshis, sigop-adjusted
   * weights.
   */
  cluster(entry: PoolEntry): { readonly fee: number; readonly weight: number; readonly entries: readonly PoolEntry[] }[];
  stats(): Omit<MempoolStats, 'accepted' | 'rejected' | 'replaced'>;
  accept(tx: TxView, offer: PoolOffer): PoolVerdict | Promise<PoolVerdict>;
  /** A child with its unconfirmed parents. */
  acceptPackage(txs: readonly TxView[], options: { readonly maxFeeRate?: number }): Promise<PackageResult>;
  /** The same question about several, one after the other, nothing is kept. */
  testPackage(txs: readonly TxView[]): Promise<PackageResult>;
  /** Announces what will be offered next, in this order, so that scripts run ahead. */
  prefetchTransactions(txs: readonly TxView[]): Promise<void>;
  /** A copy of the transaction with this wtxid; undefined when it is not here. */
  byWtxid(wtxid: Uint8Array): TxView | undefined;
  /** A block's transactions, when all of them are here. @param wtxids 32 bytes each, one after the other */
  known(wtxids: Uint8Array): KnownTransactions | null;
  /** Why a transaction that is not here was refused or left, as far as that is remembered. */
  recentOutcome(txid: Uint8Array): TxOutcome | undefined;
  /** Marks it for announcement until a peer has asked for it. */
  addUnbroadcast(txid: Uint8Array): void;
  /** Tells peers of it once. */
  announce(txid: Uint8Array): void;
  prioritise(txid: Uint8Array, feeDeltaSats: number): void;
  /** Whether it is here and must not pay a fee. */
  hasFixedFee(txid: Uint8Array): boolean;
  /** Prioritisations that are not zero, by txid in internal order. */
  prioritised(): readonly { readonly txid: Uint8Array; readonly delta: number; readonly entry: PoolEntry | undefined }[];
  /** Whether a saved pool is back, or none was to be loaded. */
  readonly loaded: boolean;
  /** What transactions should pay; 0 for no answer. */
  readonly fees: Pick<FeeEstimator, 'enabled' | 'highestTarget' | 'smart' | 'raw'>;
  /** Transactions of disconnected blocks are on their way back. */
  readonly returning: boolean;
  /** Resolves when none is. */
  settled(): Promise<void>;
}

/** Of the mempool. */
export interface MempoolContext {
  readonly mempool: PoolAccess;
  /** Writes the pool to its file. Rejects when that fails. @returns the file's path */
  savePool(): Promise<string>;
  /**
   * Offers a saved pool's transactions to the pool.
   * @returns whether the file was read to its end; why not, the log says
   */
  importPool(file: string, options: PoolImport): Promise<boolean>;
}
