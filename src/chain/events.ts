// Values of the chain's events. Listeners are called in the same event-loop tick in which the tip changes.

import type { BlockView } from '../consensus/block/block-view.js';
import type { Coin } from '../consensus/coin.js';
import type { HeaderNode } from './tree/header-node.js';

/** A block that was connected or disconnected, with the coins that it spent. */
export interface ConnectedBlock {
  readonly node: HeaderNode;
  readonly block: BlockView;
  /** Coins spent: one list per transaction after the coinbase, one coin per input (the undo data). */
  readonly spent: Coin[][];
}

/** A connected block with its fees. */
export interface JoinedBlock extends ConnectedBlock {
  /** Sum of its transaction fees in satoshis. */
  readonly fees: number;
}

/**
 * One change of the tip: disconnected blocks (old tip first), then connected blocks (lowest first). Both lists are empty
 * if the tip has jumped: to a coins snapshot, or over blocks that the download engine connected.
 */
export interface TipChange {
  readonly disconnected: readonly ConnectedBlock[];
  readonly connected: readonly JoinedBlock[];
  /** Set while invalidateblock disconnects blocks: number of blocks that it disconnected before this change. */
  readonly invalidatedBefore?: number;
  /**
   * True if the next tip change follows immediately (initial download, or invalidateblock disconnecting blocks). Work
   * for clients, such as templates, may wait for it.
   */
  readonly moreFollows?: boolean;
  /**
   * Set if the tip has jumped over blocks that the download engine connected: the tip before the jump, an ancestor of
   * the new one. The files have these blocks and their undo data.
   */
  readonly jumpedFrom?: HeaderNode;
}

/** Called after coins and tip have changed. Must not await. */
export type TipListener = (tip: HeaderNode, change: TipChange) => void;

/**
 * Listener whose state must match the tip, such as the mempool. An exception in it is a chain fault and stops the node.
 */
export interface TipFollower {
  /** Name in the message of the fault. */
  readonly name: string;
  /**
   * Called in the same event-loop tick as onTip, before all other listeners, so that new templates start early. Must
   * not read coins: the first read of a coin would apply all coin changes of the block.
   */
  onMove: TipListener;
  /** Called after every follower's onMove and before the listeners. */
  onTip: TipListener;
  /**
   * Resolves when the follower's state matches the tip. While an operator disconnects blocks, the chain awaits this
   * between two tip changes, so that the mempool has accepted the transactions of the disconnected blocks again.
   */
  settled?(): Promise<void>;
}
