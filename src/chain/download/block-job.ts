// A block on its way into the active chain, from the arrival of its bytes until it is connected. A requested block that
// has not arrived is a request in net/sync/block-download.ts.

import type { BlockView } from '../../consensus/block/block-view.js';
import type { HeaderNode } from '../tree/header-node.js';

/** Results of prefetching a block. */
export interface Prefetched {
  /**
   * Resolves when reading the block's coins has ended, with the eviction epoch of the cache before the read. While that
   * epoch is current, the coins are in memory. -1 if reading failed.
   */
  readonly coinsRead: Promise<number>;
  /**
   * True if the database is known to have no coin at any outpoint that the block creates (BIP-0030). While the eviction
   * epoch stays the same, such a coin can only be in memory. False means unknown. Never rejects.
   */
  readonly outputsLack: Promise<boolean>;
  /** True if all scripts of the block are known to pass; false means unknown. Never rejects. */
  readonly scriptsPass: Promise<boolean>;
}

/** State of a block. */
export type JobState =
  /** The checks that need no coins are running. */
  | { readonly kind: 'received' }
  /** The block passed these checks. The files do not have its bytes yet. */
  | { readonly kind: 'identified' }
  /** The files and the block index have the block. */
  | { readonly kind: 'stored' }
  /** The prefetcher starts the block with its next batch, whose blocks have equal flags. */
  | { readonly kind: 'queued'; readonly scripts: boolean; readonly flags: number; readonly inputs: number }
  /** The block's coins are being read, and its scripts run. */
  | { readonly kind: 'prefetched'; readonly results: Prefetched }
  /** The next tip change contains the block. */
  | { readonly kind: 'connecting' }
  /** The block is in the active chain. */
  | { readonly kind: 'connected' }
  /** The block broke a rule. */
  | { readonly kind: 'invalid' }
  /** The block was stored by another call, or its bytes left memory. */
  | { readonly kind: 'dropped' };

type Kind = JobState['kind'];

/** States that may follow each state. */
const FOLLOWING: Readonly<Record<Kind, readonly Kind[]>> = {
  received: ['identified', 'invalid', 'dropped'],
  identified: ['stored', 'dropped'],
  stored: ['queued', 'connected', 'invalid', 'dropped'],
  // The prefetcher returns blocks to `stored` when its work becomes useless.
  queued: ['prefetched', 'stored', 'connected', 'invalid', 'dropped'],
  prefetched: ['connecting', 'stored', 'connected', 'invalid', 'dropped'],
  connecting: ['connected', 'stored', 'invalid', 'dropped'],
  connected: [],
  invalid: [],
  dropped: [],
};

export class BlockJob {
  #state: JobState;

  /** @param held true if the block counts against the memory for blocks that arrived */
  constructor(
    readonly node: HeaderNode,
    readonly block: BlockView,
    readonly held: boolean,
  ) {
    this.#state = { kind: held ? 'received' : 'stored' };
  }

  get state(): JobState {
    return this.#state;
  }

  /** True once the block is connected, invalid or dropped. */
  get ended(): boolean {
    return FOLLOWING[this.#state.kind].length === 0;
  }

  /** True until the files have the block. */
  get storing(): boolean {
    return this.#state.kind === 'received' || this.#state.kind === 'identified';
  }

  /**
   * Changes the state.
   * @throws Error if the new state cannot follow the current one
   */
  moveTo(state: JobState): void {
    if (!FOLLOWING[this.#state.kind].includes(state.kind)) {
      throw new Error(`Block ${this.node.hashHex} cannot become ${state.kind}: it is ${this.#state.kind}`);
    }
    this.#state = state;
  }
}
