// Events of the chain. Other modules add listeners; the chain's parts call them.

import type { BlockView } from '../consensus/block/block-view.js';
import type { Reject } from '../consensus/state.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import { Listeners } from '../lib/listeners.js';
import { ChainFault } from './chain-fault.js';
import type { TipChange, TipFollower } from './events.js';
import type { HeaderNode } from './tree/header-node.js';

/**
 * Events of the chain. Listeners are called in the order of registration. The guard logs an exception of a listener and
 * counts it under the listener's name.
 */
export class ChainEvents {
  /** Coins and tip have changed. Listeners must not await. */
  readonly tip: Listeners<[tip: HeaderNode, change: TipChange]>;
  /** TipChange.moreFollows was true, but the next block turned out to be invalid. */
  readonly noMoreFollows: Listeners<[]>;
  /** The best known header has changed. */
  readonly header: Listeners<[best: HeaderNode]>;
  /**
   * A new block on the tip passed every check that needs no coins. It is not connected yet (Core's NewPoWValidBlock).
   */
  readonly stored: Listeners<[node: HeaderNode, block: BlockView]>;
  /** The verdict on a block is known (Core's BlockChecked). A null reject means that the block was connected. */
  readonly checked: Listeners<[hash: Uint8Array, block: BlockView, reject: Reject | null]>;
  /** Emitted before the files of pruned blocks are deleted, so that no thread reads these blocks from then on. */
  readonly pruned: Listeners<[]>;
  /** The history below a snapshot has advanced or is validated. */
  readonly history: Listeners<[]>;
  readonly #followers: TipFollower[] = [];
  #bestHeader: HeaderNode;

  /** @param bestHeader best known header when the chain was opened */
  constructor(guard: ListenerGuard, bestHeader: HeaderNode) {
    this.#bestHeader = bestHeader;
    this.tip = new Listeners(guard);
    this.noMoreFollows = new Listeners(guard);
    this.header = new Listeners(guard);
    this.stored = new Listeners(guard);
    this.checked = new Listeners(guard);
    this.pruned = new Listeners(guard);
    this.history = new Listeners(guard);
  }

  /** Registers a follower: its state must match the tip, so the node stops if the follower throws. */
  addFollower(follower: TipFollower): void {
    this.#followers.push(follower);
  }

  /**
   * Announces a tip change: first to the followers, then to the listeners.
   * @returns the error of a follower, if one threw. Its state may not match the tip, so the node must stop
   */
  announceTip(tip: HeaderNode, change: TipChange): ChainFault | null {
    let fault: ChainFault | null = null;
    for (const phase of ['onMove', 'onTip'] as const) {
      for (const follower of this.#followers) {
        try {
          follower[phase](tip, change);
        } catch (error) {
          fault ??= new ChainFault(`${follower.name} could not process a tip change`, error);
        }
      }
    }
    this.tip.call(tip, change);
    return fault;
  }

  /** Announces the best known header if it has changed. */
  announceHeader(best: HeaderNode): void {
    if (best === this.#bestHeader) return;
    this.#bestHeader = best;
    this.header.call(best);
  }

  /** Resolves when the state of every follower matches the tip. */
  async followersSettled(): Promise<void> {
    for (const follower of this.#followers) await follower.settled?.();
  }
}

type EventName = 'tip' | 'noMoreFollows' | 'header' | 'stored' | 'checked' | 'pruned' | 'history';

/** Registration of listeners and followers, for other modules. */
export type ChainEventSource = Pick<ChainEvents, 'addFollower'> & { readonly [Name in EventName]: Pick<ChainEvents[Name], 'add'> };
