// What methods need of the chain: chain/chain.ts and what it holds. Hashes are 32 bytes in internal order, amounts
// satoshis, times seconds.

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

/** A header of the tree; chain's HeaderNode is one. */
export interface HeaderInfo extends HeaderContext {
  readonly hash: Uint8Array;
  readonly hashHex: string;
  readonly prev: HeaderInfo | null;
  readonly height: number;
  readonly version: number;
  readonly merkleRoot: Uint8Array;
  readonly time: number;
  /** The largest time of this block and all before it. */
  readonly maxTime: number;
  readonly bits: number;
  readonly nonce: number;
  readonly chainWork: bigint;
  /** Transactions in the block, 0 while the block was never stored. */
  readonly txCount: number;
  /** Transactions up to and including the block, 0 while some ancestor was never stored. */
  readonly chainTxCount: number;
  /** The 80 bytes. */
  readonly headerBytes: Uint8Array;
  ancestor(height: number): HeaderInfo | null;
}

/** The chain as RPC sees it; chain/chain.ts is one. */
export interface ChainAccess {
  readonly params: ChainParams;
  readonly tip: HeaderInfo;
  readonly genesis: HeaderInfo;
  readonly bestHeader: HeaderInfo;
  /** @param hash 32 bytes internal order, or display hex */
  node(hash: Uint8Array | string): HeaderInfo | undefined;
  /** The block of the best chain at a height. */
  atHeight(height: number): HeaderInfo | undefined;
  /** Whether the header is in the best chain. */
  contains(node: HeaderInfo): boolean;
  /** The block after one of the best chain's. */
  next(node: HeaderInfo): HeaderInfo | undefined;
  isInitialBlockDownload(): boolean;
  /** Memory for coins, and for the caches of their database (-dbcache). */
  readonly coinsCacheBytes: number;
  verificationProgress(node: HeaderInfo): number;
  known(hash: Uint8Array): KnownBlock;
  /** The block with the coinbase's witness nonce filled in where a miner left it out. */
  withWitnessReserved(block: BlockView): BlockView;
  submitBlock(block: Uint8Array | BlockView, options?: { force?: boolean }): Promise<BlockOutcome>;
  submitHeader(bytes: Uint8Array): Promise<Verdict>;
  testBlockValidity(block: BlockView, options: { checkPow: boolean; checkMerkle: boolean }): Promise<Verdict>;
  /** Whether a block of such transactions is valid on the tip, but for its proof of work; false: not known. */
  isKnownValid(header: HeaderView, coinbase: TxView, known: KnownTransactions): Promise<boolean>;
  invalidateBlock(node: HeaderInfo): Promise<Verdict>;
  reconsiderBlock(node: HeaderInfo): Promise<Verdict>;
  preciousBlock(node: HeaderInfo): Promise<Verdict>;
  /** Whether the block's bytes are stored. */
  hasBlock(node: HeaderInfo): boolean;
  /** Whether they were, and were deleted for want of room. */
  isPruned(node: HeaderInfo): boolean;
  /** Whether that ever happened to a block. */
  readonly havePruned: boolean;
  /** How old blocks are deleted (infinite bytes: by hand only), null when they never are. */
  readonly pruneSettings: { readonly targetBytes: number; readonly afterHeight: number } | null;
  /** The lowest block from which on all blocks up to the tip are stored. */
  readonly lowestStored: HeaderInfo;
  /** Deletes files whose every block is at a height or below it, and far enough below the tip. */
  pruneUpTo(height: number): Promise<void>;
  /** Number of the file that the block's bytes lie in, and where in it; null while they are not stored. */
  blockPlace(node: HeaderInfo): { readonly file: number; readonly pos: number } | null;
  readBlock(node: HeaderInfo): Promise<BlockView>;
  readBlockBytes(node: HeaderInfo): Promise<Uint8Array>;
  /** Whether it is known what the block spent: it was connected once, and its undo data was not deleted. */
  hasUndo(node: HeaderInfo): boolean;
  /** Spent coins of each transaction after the coinbase, per input. */
  readUndo(node: HeaderInfo): Promise<Coin[][]>;
  /** An unspent output; the argument is txid and little-endian index, 36 bytes. */
  coin(outpoint: Uint8Array): Promise<Coin | undefined>;
  /** The same of several, in order. */
  coinsAt(outpoints: readonly Uint8Array[]): Promise<(Coin | undefined)[]>;
  /** The same, with the tip at which they were looked up. */
  coinsAtTip(outpoints: readonly Uint8Array[]): Promise<{ readonly tip: HeaderInfo; readonly coins: readonly (Coin | undefined)[] }>;
  /** Any unspent output of a transaction. */
  anyCoinOf(txid: Uint8Array): Promise<Coin | undefined>;
  coinsStats(options: { hashSerialized: 2 | 3 | null; muhash?: boolean }): Promise<CoinsStats>;
  /**
   * Writes all coins to a file that does not exist; null while another such dump is written. Rejects with the system's
   * error.
   */
  dumpCoins(path: string, form: '0.21' | '28'): Promise<{ tip: HeaderInfo; coins: number; hash: Uint8Array | null } | null>;
  /**
   * Goes over every coin at the tip, in the order of txid and index, on the pool's threads, and shows those with
   * certain scripts.
   */
  walkCoins(visitor: CoinVisitor): Promise<{ tip: HeaderInfo; complete: boolean }>;
  /** The block of the snapshot that the chain was begun with, as long as that matters. */
  readonly snapshot: { readonly base: HeaderInfo; readonly validated: boolean } | null;
  /** The blocks below it that are validated in the background; null for none. */
  readonly history: { readonly tip: HeaderInfo; readonly base: HeaderInfo; readonly coinsCacheBytes: number } | null;
  /** Begins the chain with the coins of a file. @throws SnapshotError when it is refused */
  loadSnapshot(file: SnapshotFile, head: SnapshotHead, poolSize: () => number): Promise<HeaderInfo>;
  /** Heads of all branches, highest first. */
  tips(): HeaderInfo[];
  blockState(node: HeaderInfo): BlockState;
  verifyChain(level: number, blocks: number): Promise<boolean>;
  /** Bytes of block and undo files. */
  sizeOnDisk(): number;
  /** Deployment states by period. */
  readonly versionBits: VersionBitsCache;
  /** Calls back after each change of the tip; returns the way to stop. */
  onTip(listener: (tip: HeaderInfo) => void, name: string): () => void;
}

/** Of the chain. */
export interface ChainContext {
  readonly params: ChainParams;
  readonly chain: ChainAccess;
}
