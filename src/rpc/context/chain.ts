// The chain as methods use it; chain/chain.ts implements it. Hashes are 32 bytes in internal order, amounts are
// satoshis, times are seconds.

import type { CoinVisitor } from '../../chain/coins/walk-coins.js';
import type { KnownTransactions } from '../../chain/connect/known-block.js';
import type { BlockOutcome, BlockState, CoinsStats, KnownBlock } from '../../chain/connect/outcome.js';
import type { SnapshotFile, SnapshotHead } from '../../chain/snapshot/snapshot-file.js';
import type { BlockView } from '../../consensus/block/block-view.js';
import type { HeaderView } from '../../consensus/block/header-view.js';
import type { Coin } from '../../consensus/coin.js';
import type { HeaderContext } from '../../consensus/header-context.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { VersionBitsCache } from '../../consensus/rules/versionbits.js';
import type { Verdict } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';

/** A header of the header tree; chain's HeaderNode implements it. */
export interface HeaderInfo extends HeaderContext {
  readonly hash: Uint8Array;
  readonly hashHex: string;
  readonly prev: HeaderInfo | null;
  readonly height: number;
  readonly version: number;
  readonly merkleRoot: Uint8Array;
  readonly time: number;
  /** Largest time of this block and all its ancestors. */
  readonly maxTime: number;
  readonly bits: number;
  readonly nonce: number;
  readonly chainWork: bigint;
  /** Number of transactions in the block; 0 while the block has never been stored. */
  readonly txCount: number;
  /** Number of transactions up to and including the block; 0 while some ancestor has never been stored. */
  readonly chainTxCount: number;
  /** The serialized header, 80 bytes. */
  readonly headerBytes: Uint8Array;
  ancestor(height: number): HeaderInfo | null;
}

/** The chain as methods use it; chain/chain.ts implements it. */
export interface ChainAccess {
  readonly params: ChainParams;
  readonly tip: HeaderInfo;
  readonly genesis: HeaderInfo;
  readonly bestHeader: HeaderInfo;
  /** Returns a header of the tree. @param hash 32 bytes in internal order, or hex in display order */
  node(hash: Uint8Array | string): HeaderInfo | undefined;
  /** Returns the block of the active chain at a height. */
  atHeight(height: number): HeaderInfo | undefined;
  /** Returns whether the header is in the active chain. */
  contains(node: HeaderInfo): boolean;
  /** Returns the block after a block of the active chain. */
  next(node: HeaderInfo): HeaderInfo | undefined;
  isInitialBlockDownload(): boolean;
  /** Memory for coins and for the caches of their database (-dbcache). */
  readonly coinsCacheBytes: number;
  verificationProgress(node: HeaderInfo): number;
  known(hash: Uint8Array): KnownBlock;
  /** Returns the block with the coinbase's witness reserved value filled in, if the miner omitted it. */
  withWitnessReserved(block: BlockView): BlockView;
  submitBlock(block: Uint8Array | BlockView, options?: { force?: boolean }): Promise<BlockOutcome>;
  submitHeader(bytes: Uint8Array): Promise<Verdict>;
  testBlockValidity(block: BlockView, options: { checkPow: boolean; checkMerkle: boolean }): Promise<Verdict>;
  /**
   * Returns whether a block with these transactions is valid on the tip, apart from its proof of work. False: unknown.
   */
  isKnownValid(header: HeaderView, coinbase: TxView, known: KnownTransactions): Promise<boolean>;
  invalidateBlock(node: HeaderInfo): Promise<Verdict>;
  reconsiderBlock(node: HeaderInfo): Promise<Verdict>;
  preciousBlock(node: HeaderInfo): Promise<Verdict>;
  /** Returns whether the bytes of the block are stored. */
  hasBlock(node: HeaderInfo): boolean;
  /** Returns whether the bytes of the block were stored and have been pruned. */
  isPruned(node: HeaderInfo): boolean;
  /** True if any block has ever been pruned. */
  readonly havePruned: boolean;
  /** How old blocks are pruned; null: never. Infinite targetBytes: only by pruneblockchain. */
  readonly pruneSettings: { readonly targetBytes: number; readonly afterHeight: number } | null;
  /** Lowest block from which all blocks up to the tip are stored. */
  readonly lowestStored: HeaderInfo;
  /** Deletes the files all of whose blocks are at the height or below, and far enough below the tip. */
  pruneUpTo(height: number): Promise<void>;
  /**
   * Returns the block file that contains the block, and the block's position in it; null if the block is not stored.
   */
  blockPlace(node: HeaderInfo): { readonly file: number; readonly pos: number } | null;
  readBlock(node: HeaderInfo): Promise<BlockView>;
  readBlockBytes(node: HeaderInfo): Promise<Uint8Array>;
  /** Returns whether the block has undo data: it was connected once, and its undo data was not pruned. */
  hasUndo(node: HeaderInfo): boolean;
  /** Reads the coins that a block spent: for each transaction after the coinbase, one per input. */
  readUndo(node: HeaderInfo): Promise<Coin[][]>;
  /** Returns an unspent output. @param outpoint txid in internal order and 32-bit little-endian index, 36 bytes */
  coin(outpoint: Uint8Array): Promise<Coin | undefined>;
  /** Returns several unspent outputs, in the order of the outpoints. */
  coinsAt(outpoints: readonly Uint8Array[]): Promise<(Coin | undefined)[]>;
  /** Returns several unspent outputs, and the tip at which they were looked up. */
  coinsAtTip(outpoints: readonly Uint8Array[]): Promise<{ readonly tip: HeaderInfo; readonly coins: readonly (Coin | undefined)[] }>;
  /** Returns any unspent output of a transaction. */
  anyCoinOf(txid: Uint8Array): Promise<Coin | undefined>;
  coinsStats(options: { hashSerialized: 2 | 3 | null; muhash?: boolean }): Promise<CoinsStats>;
  /**
   * Writes all coins to a new file. Returns null while another dump is being written. Rejects with the system's error.
   */
  dumpCoins(path: string, form: '0.21' | '28'): Promise<{ tip: HeaderInfo; coins: number; hash: Uint8Array | null } | null>;
  /**
   * Reads every coin at the tip, in the order of txid and index, on the threads of the verify pool, and passes those
   * with certain scripts to the visitor.
   */
  walkCoins(visitor: CoinVisitor): Promise<{ tip: HeaderInfo; complete: boolean }>;
  /**
   * Base block of the snapshot with which the chain was started, until the snapshot is validated and no longer matters;
   * null without one.
   */
  readonly snapshot: { readonly base: HeaderInfo; readonly validated: boolean } | null;
  /** Validation of the blocks up to the base of the snapshot, in the background; null if there is none. */
  readonly history: { readonly tip: HeaderInfo; readonly base: HeaderInfo; readonly coinsCacheBytes: number } | null;
  /** Starts the chain with the coins of a snapshot file. @throws SnapshotError if the snapshot is refused */
  loadSnapshot(file: SnapshotFile, head: SnapshotHead, poolSize: () => number): Promise<HeaderInfo>;
  /** Returns the tips of all branches, highest first. */
  tips(): HeaderInfo[];
  blockState(node: HeaderInfo): BlockState;
  verifyChain(level: number, blocks: number): Promise<boolean>;
  /** Returns the bytes of all block and undo files. */
  sizeOnDisk(): number;
  /** Cache of deployment states by period (BIP-0009). */
  readonly versionBits: VersionBitsCache;
  /** Adds a listener that is called after each tip change. @returns a function that removes it */
  onTip(listener: (tip: HeaderInfo) => void, name: string): () => void;
}

/** Chain part of NodeContext. */
export interface ChainContext {
  readonly params: ChainParams;
  readonly chain: ChainAccess;
}
