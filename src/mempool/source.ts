// Interface of the chain for the mempool: the tip, the coins at the tip, and the rules of the next block.
import type { Coin } from '../consensus/coin.js';
import type { HeaderContext } from '../consensus/header-context.js';
import type { TxView } from '../consensus/tx/tx-view.js';

/** Coins at the tip. After `prefetch`, `get` returns immediately. */
export interface CoinSource {
  /** @param outpoints 36 bytes each */
  prefetch(outpoints: readonly Uint8Array[]): Promise<void>;
  /**
   * Returns whether `get` may be called for an outpoint without another prefetch.
   * @param outpoint 36 bytes at `at` (default 0)
   */
  isKnown(outpoint: Uint8Array, at?: number): boolean;
  /**
   * Returns the coin of an outpoint; undefined if it is spent or never existed.
   * @param outpoint 36 bytes at `at` (default 0)
   */
  get(outpoint: Uint8Array, at?: number): Coin | undefined;
}

export interface MempoolChain {
  readonly tip: HeaderContext;
  readonly coins: CoinSource;
  /** Script flags of the block after the tip. */
  nextBlockFlags(): number;
}

/** A block that was connected or disconnected. */
export interface ChangedBlock {
  readonly block: { readonly txs: readonly TxView[] };
}

/** A disconnected block with its node in the block tree. */
export interface DisconnectedBlock extends ChangedBlock {
  readonly node: HeaderContext;
}

/** One tip change: disconnected blocks (old tip first), then connected blocks (lowest first). */
export interface ChainChange {
  readonly disconnected: readonly DisconnectedBlock[];
  readonly connected: readonly ChangedBlock[];
  /** Set while an operator disconnects blocks: number of blocks disconnected before this change. */
  readonly invalidatedBefore?: number;
  /** Set if the tip has jumped over blocks whose transactions are not passed on. */
  readonly jumpedFrom?: HeaderContext;
}
