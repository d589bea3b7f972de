// The indexes as methods use them. Each exists if its option is on.
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { HeaderInfo } from './chain.js';

/** Finds every transaction of the active chain (-txindex). */
export interface TxIndexAccess {
  /** Returns whether the index has every block up to the tip. */
  synced(): boolean | Promise<boolean>;
  find(txid: Uint8Array): Promise<{ tx: TxView; blockHash: Uint8Array } | undefined>;
  /** Returns the position of a transaction in the block files. @param txid internal order */
  locate(txid: Uint8Array): Promise<TxPlace | undefined>;
  /** Returns the hash of the block at a position, internal order. */
  blockHashAt(place: TxPlace): Promise<Uint8Array>;
}

/** Position of a transaction: file, block in the file, transaction in the block. */
export interface TxPlace {
  readonly file: number;
  readonly pos: number;
  readonly offset: number;
  readonly size: number;
}

/** Finds the transaction that spends an output in the active chain (-txospenderindex). */
export interface SpenderIndexAccess {
  /** Returns whether the index has every block up to the tip. */
  synced(): boolean | Promise<boolean>;
  /** @param outpoint txid in internal order and 32-bit little-endian index, 36 bytes */
  find(outpoint: Uint8Array): Promise<{ tx: TxView; blockHash: Uint8Array } | undefined>;
}

/** Progress of an index. */
export interface IndexState {
  readonly name: string;
  /** True if the index has reached the tip since the node started. */
  readonly synced: boolean;
  /** Height of the index's last block; 0 at the beginning. */
  readonly height: number;
  /** Waits until the index has every block of the chain. Returns false at once while the index is being built. */
  waitUntilSynced(): Promise<boolean>;
}

/** Block filters of BIP-0158 (-blockfilterindex). */
export interface FilterIndexAccess {
  readonly state: IndexState;
  /** @param blockHash internal order */
  find(blockHash: Uint8Array): Promise<{ filter: Uint8Array; header: Uint8Array } | undefined>;
  /**
   * Prepares a search for packed scripts (jobs/script-marks.ts). Returns a function that tells for blocks (hashes in internal order) whether they may
   * contain one of the scripts; undefined for blocks without a filter.
   */
  search(scripts: SharedArrayBuffer): (blockHashes: readonly Uint8Array[]) => Promise<readonly (boolean | undefined)[]>;
  /** Returns the filter headers of blocks; undefined for blocks without a filter. @param blockHashes internal order */
  heads(blockHashes: readonly Uint8Array[]): Promise<readonly ({ readonly header: Uint8Array } | undefined)[]>;
}

/** Sums over all coins, in satoshis. All except `outputs`, `bogoSize`, and `amount` cover the whole history. */
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

/** Statistics of the coins after any block (-coinstatsindex). */
export interface CoinStatsAccess {
  readonly state: IndexState;
  find(node: HeaderInfo): Promise<{ totals: CoinTotals; before: CoinTotals; muhash: Uint8Array } | undefined>;
}

/** Index part of NodeContext. */
export interface IndexContext {
  /** Index of transactions; null without -txindex. */
  readonly txIndex: TxIndexAccess | null;
  /** Index of spending transactions; null without -txospenderindex. */
  readonly spenderIndex: SpenderIndexAccess | null;
  /** Index of block filters; null without -blockfilterindex. */
  readonly filterIndex: FilterIndexAccess | null;
  /** Index of coin statistics; null without -coinstatsindex. */
  readonly coinStatsIndex: CoinStatsAccess | null;
  /** Indexes that are on, in the order of getindexinfo. */
  readonly indexes: readonly IndexState[];
}
