// What methods need of the indexes, each there when its option is on.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { HeaderInfo } from './chain.js';

/** Where every transaction of the best chain is, when -txindex is on. */
export interface TxIndexAccess {
  /** Whether it has caught up with the tip. */
  synced(): boolean | Promise<boolean>;
  find(txid: Uint8Array): Promise<{ tx: TxView; blockHash: Uint8Array } | undefined>;
}

/** What spends every output that the best chain spends, when -txospenderindex is on. */
export interface SpenderIndexAccess {
  /** Whether it has caught up with the tip. */
  synced(): boolean | Promise<boolean>;
  /** @param outpoint txid and little-endian index, 36 bytes */
  find(outpoint: Uint8Array): Promise<{ tx: TxView; blockHash: Uint8Array } | undefined>;
}

/** How far an index came. */
export interface IndexState {
  readonly name: string;
  /** Whether it reached the tip since the node started. */
  readonly synced: boolean;
  /** Height of its last block, 0 at the beginning. */
  readonly height: number;
  /** Waits until it has every block of the chain. False at once while it is still being built. */
  waitUntilSynced(): Promise<boolean>;
}

/** Filters of BIP-0158 by block, when -blockfilterindex is on. */
export interface FilterIndexAccess {
  readonly state: IndexState;
  /** @param blockHash internal order */
  find(blockHash: Uint8Array): Promise<{ filter: Uint8Array; header: Uint8Array } | undefined>;
  /**
   * Prepares a search: of blocks (hashes in internal order) it says whether they may hold one of the scripts, undefined
   * where there is no filter.
   */
  search(scripts: readonly Uint8Array[]): (blockHashes: readonly Uint8Array[]) => Promise<readonly (boolean | undefined)[]>;
  /** Filter headers of many blocks, undefined where there is no filter. @param blockHashes internal order */
  heads(blockHashes: readonly Uint8Array[]): Promise<readonly ({ readonly header: Uint8Array } | undefined)[]>;
}

/** Sums over all coins, in satoshis; those but `outputs`, `bogoSize` and `amount` run over the whole history. */
export interface CoinTotals {
  readonly outputs: number;
  readonly bogoSize: number;
  readonly amount: bigint;
  readonly unspendable: bigint;
  readonly prevoutSpent: bigint;
  readonly newOutputsExCoinbase: bigint;
  readonly coinbase: bigint;
  readonly unspendableGenesis: bigint;
  readonly unspendableBip30: bigint;
  readonly unspendableScripts: bigint;
  readonly unclaimedRewards: bigint;
}

/** Figures of the unspent set after any block, when -coinstatsindex is on. */
export interface CoinStatsAccess {
  readonly state: IndexState;
  find(node: HeaderInfo): Promise<{ totals: CoinTotals; before: CoinTotals; muhash: Uint8Array } | undefined>;
}

/** Of the indexes. */
export interface IndexContext {
  /** Null without -txindex. */
  readonly txIndex: TxIndexAccess | null;
  /** Null without -txospenderindex. */
  readonly spenderIndex: SpenderIndexAccess | null;
  /** Null without -blockfilterindex. */
  readonly filterIndex: FilterIndexAccess | null;
  /** Null without -coinstatsindex. */
  readonly coinStatsIndex: CoinStatsAccess | null;
  /** Indexes that are on, in getindexinfo's order. */
  readonly indexes: readonly IndexState[];
}
