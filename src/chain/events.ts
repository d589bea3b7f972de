// What the chain tells others in the very turn in which it changes.

import type { BlockView } from '../consensus/block/block-view.js';
import type { Coin } from '../consensus/coin.js';
import type { Reject } from '../consensus/state.js';
import type { HeaderNode } from './tree/header-node.js';

/** A block that joined or left the active chain, with the coins it spent. */
export interface ConnectedBlock {
  readonly node: HeaderNode;
  readonly block: BlockView;
  /** Coins spent: one list per transaction after the coinbase, one coin per input (the undo data). */
  readonly spent: Coin[][];
}

/** A block that joined it. */
export interface JoinedBlock extends ConnectedBlock {
  /** Of all its transactions, satoshis. */
  readonly fees: number;
}

/** One change of the active chain: blocks that left (old tip first), then blocks that joined (lowest first). */
export interface TipChange {
  readonly disconnected: readonly ConnectedBlock[];
  readonly connected: readonly JoinedBlock[];
  /** Set when invalidateblock takes blocks off: how many it had taken off before this change. */
  readonly invalidatedBefore?: number;
  /**
   * Set when the next move follows at once, in initial download and where invalidateblock takes blocks off: what is made
   * for outsiders may wait for a later tip.
   */
  readonly moreFollows?: boolean;
}

/** Called inside the apply step, after the coins and the tip moved; must not await. */
export type TipListener = (tip: HeaderNode, change: TipChange) => void;

/** Listener whose state must match the tip, such as the mempool. An exception in it is a chain fault and stops the node. */
export interface TipFollower {
  /** Name in the message of the fault. */
  readonly name: string;
  /**
   * Called before all other listeners, in the same event-loop tick as onTip. For new templates. Must not read coins: the
   * first read would apply all changes of the block.
   */
  onMove: TipListener;
  /** Called before the listeners. */
  onTip: TipListener;
}

/** Called when the best known header changes. */
export type HeaderListener = (best: HeaderNode) => void;

/** Called for every verdict about a block's validity (Core's BlockChecked): null when it was connected. */
export type CheckedListener = (hash: Uint8Array, block: BlockView, reject: Reject | null) => void;
