// The optional indexes of a node, as selected by the options: creates, starts, queries and stops them together.

import type { Hashes } from '../crypto/crypto.js';
import { CoinStatsIndex } from './coin-stats-index.js';
import { FilterIndex } from './filter-index.js';
import { type FollowerDeps, IndexFollower, type IndexKind } from './follower.js';
import type { IndexOptions } from './options.js';
import { SpenderIndex } from './spender-index.js';
import { TxIndex } from './tx-index.js';

export interface IndexesDeps extends FollowerDeps {
  readonly hashes: Hashes;
}

export interface FollowedIndex<Kind extends IndexKind> {
  readonly index: Kind;
  readonly follower: IndexFollower;
}

export class Indexes {
  readonly tx: FollowedIndex<TxIndex> | null;
  readonly coinStats: FollowedIndex<CoinStatsIndex> | null;
  readonly spenders: FollowedIndex<SpenderIndex> | null;
  readonly filters: FollowedIndex<FilterIndex> | null;
  readonly #followers: IndexFollower[] = [];

  constructor(options: IndexOptions, deps: IndexesDeps) {
    const { chain, store, hashes } = deps;
    const follow = <Kind extends IndexKind>(index: Kind): FollowedIndex<Kind> => {
      const follower = new IndexFollower(index, deps);
      this.#followers.push(follower);
      return { index, follower };
    };
    // Create them in the order in which getindexinfo lists them.
    this.tx = options.tx ? follow(new TxIndex(chain.blocks, store, hashes)) : null;
    this.coinStats = options.coinStats ? follow(new CoinStatsIndex(chain.view.params, store, hashes)) : null;
    this.spenders = options.spenders ? follow(new SpenderIndex(chain.blocks, store, hashes)) : null;
    this.filters = options.filters ? follow(new FilterIndex(store, hashes)) : null;
  }

  /** Followers of the enabled indexes. */
  get list(): readonly IndexFollower[] {
    return this.#followers;
  }

  /** Starts all indexes in the background. */
  start(): void {
    for (const follower of this.#followers) follower.start();
  }

  /**
   * Called after a tip change. If there is a snapshot, indexes process the blocks below it first, then those above it.
   */
  notifyTipChanged(): void {
    for (const follower of this.#followers) follower.notifyTipChanged();
  }

  /** True if waitUntilSynced() has nothing to wait for. */
  get settled(): boolean {
    return this.#followers.every((follower) => follower.settled);
  }

  /** Waits until all indexes whose building is finished have every block of the chain. */
  async waitUntilSynced(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.waitUntilSynced()));
  }

  /** Stops all indexes after their current blocks. Must be called before chain and store are closed. */
  async stop(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.stop()));
  }
}
