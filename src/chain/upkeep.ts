// Work of the chain between changes: writes coins after the answers were sent, keeps the coins cache within its budget,
// and prunes.

import type { Changes } from './changes.js';
import type { Activator } from './connect/activator.js';
import type { ChainWorkspace } from './connect/workspace.js';
import type { Persister } from './files/persister.js';
import type { Pruner } from './files/pruner.js';

/**
 * Interval in milliseconds between checks of the coins cache. The mempool reads coins between blocks, so the cache
 * grows without a change of the chain.
 */
const TIDY_MS = 1_000;
/**
 * Delay in milliseconds after a change before its coins are written. Writing them takes a third of the time until the
 * full template is sent, so the template goes first. The bytes of blocks are written before the answer to the caller,
 * without this delay.
 */
const SETTLE_DELAY_MS = 250;

export interface UpkeepDeps {
  readonly changes: Changes;
  readonly activator: Activator;
  readonly persister: Persister;
  readonly pruner: Pruner;
}

export class Upkeep {
  readonly #ws: ChainWorkspace;
  readonly #deps: UpkeepDeps;
  readonly #tidy: NodeJS.Timeout;
  #settleTimer: NodeJS.Timeout | null = null;
  /** True if the files have grown, so that pruning may be necessary. */
  #pruneDue = false;

  constructor(ws: ChainWorkspace, deps: UpkeepDeps) {
    this.#ws = ws;
    this.#deps = deps;
    this.#tidy = setInterval(() => this.#tidyUp(), TIDY_MS);
    this.#tidy.unref();
  }

  #tidyUp(): void {
    const { coins } = this.#ws;
    const { changes } = this.#deps;
    if (coins.usedBytes <= coins.budgetBytes || changes.size > 0 || changes.fault !== null) return;
    // Evict inside the queue, because a running change relies on the coins that it prefetched.
    changes.upkeep(() => coins.evictAll());
  }

  /**
   * Called after each change. Writing coins takes the thread about 10 ms after a full block, so it is delayed until the
   * reply and the next template are sent. If another change starts earlier, that change writes the coins before it
   * changes the tip.
   */
  afterChange(): void {
    const { changes, activator, persister, pruner } = this.#deps;
    if (pruner.takeGrowth()) this.#pruneDue = true;
    if (!(activator.hasUnwrittenChanges || this.#pruneDue) || this.#settleTimer !== null) return;
    this.#settleTimer = setTimeout(() => {
      this.#settleTimer = null;
      changes.upkeep(async () => {
        // Check for a fault inside the queue: the write of the previous change may have failed.
        if (changes.fault !== null) return;
        await activator.writeTipChanges();
        // After this sync, blocks whose acceptance was reported survive a power failure.
        if (activator.nearTip) await persister.syncAll();
        if (!pruner.takeGrowth() && !this.#pruneDue) return;
        this.#pruneDue = false;
        await pruner.pruneToTarget();
      });
    }, SETTLE_DELAY_MS);
  }

  stop(): void {
    clearInterval(this.#tidy);
    if (this.#settleTimer !== null) clearTimeout(this.#settleTimer);
  }
}
