// What the mempool needs of the chain: the tip, the coins there, and the rules of the next block. chain/chain.ts
// implements it.
import type { Coin } from '../consensus/coin.js';
import type { HeaderContext } from '../consensus/header-context.js';
import type { TxView } from '../consensus/tx/tx-view.js';

/** Coins at the tip. After prefetch, get answers at once. */
export interface CoinSource {
  /** @param outpoints 36 bytes each */
  prefetch(outpoints: readonly Uint8Array[]): Promise<void>;
  /** Whether get may be called. @param outpoint 36 bytes at `at`, 0 when absent */
  isKnown(outpoint: Uint8Array, at?: number): boolean;
  /** undefined: spent or never there. @param outpoint 36 bytes at `at`, 0 when absent */
  get(outpoint: Uint8Array, at?: number): Coin | undefined;
}

export interface MempoolChain {
  readonly tip: HeaderContext;
  readonly coins: CoinSource;
  /** Script flags of the block after the tip. */
  nextBlockFlags(): number;
}

/** A block that joined or left the active chain. */
export interface ChangedBlock {
  readonly block: { readonly txs: readonly TxView[] };
}

/** One that left, with its place in the header tree. */
export interface DisconnectedBlock extends ChangedBlock {
  readonly node: HeaderContext;
}

/** One change of the tip: blocks that left, old tip first, then blocks that joined, lowest first. */
export interface ChainChange {
  readonly disconnected: readonly DisconnectedBlock[];
  readonly connected: readonly ChangedBlock[];
  /** Set when an operator takes blocks off by hand: how many had been taken off before this change. */
  readonly invalidatedBefore?: number;
}
