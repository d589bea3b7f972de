// What the chain does for itself between changes: coins are written once the answers are out, the coins cache is kept
// to its budget, and files that -prune has no room for go.

import type { Changes } from './changes.js';
import type { Activator } from './connect/activator.js';
import type { ChainWorkspace } from './connect/workspace.js';
import type { Persister } from './files/persister.js';
import type { Pruner } from './files/pruner.js';

/**
 * Milliseconds between looks at the coins cache: what the mempool asks for between blocks must not grow it without end.
 */
const TIDY_MS = 1_000;
/**
 * Milliseconds that writing coins waits for the full template to leave: it takes this thread as long as a third of all
 * that stands before that template. Blocks themselves are written before the answer.
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
  /** Files grew since the last look whether some have to go. */
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
    // In the queue, since a change under way counts on what it fetched.
    changes.upkeep(() => coins.evictAll());
  }

  /**
   * A change is over. The reply and the next template leave before coins are written, which holds the thread for some
   * 10 ms after a full block. A change that comes earlier writes them itself before it moves the tip.
   */
  afterChange(): void {
    const { changes, activator, persister, pruner } = this.#deps;
    if (pruner.takeGrowth()) this.#pruneDue = true;
    if (!(activator.hasUnwrittenChanges || this.#pruneDue) || this.#settleTimer !== null) return;
    this.#settleTimer = setTimeout(() => {
      this.#settleTimer = null;
      changes.upkeep(async () => {
        // Asked in its turn: the change before may be the one whose writing failed.
        if (changes.fault !== null) return;
        await activator.writeTipChanges();
        // What was acknowledged meanwhile is safe from a loss of power then.
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
