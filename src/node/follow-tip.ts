// Updates templates and the mempool after a tip change, templates first. The mempool is a follower: its exceptions stop the
// node. The guard catches exceptions of templates, as of every other listener.

import type { Chain, TipChange } from '../chain/index.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import type { Mempool } from '../mempool/index.js';
import type { TemplateService } from '../template/index.js';

/** Modules that follow the tip. */
export interface TipFollowers {
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly templates: TemplateService;
  readonly guard: ListenerGuard;
}

/**
 * Connects mempool and templates to the chain, and templates to the mempool.
 * @param show announces the tip, including the template without transactions (templates.onTip); afterwards the full
 *   template is started
 */
export function followTip({ chain, mempool, templates, guard }: TipFollowers, show: (change: TipChange) => void): void {
  /**
   * True if transactions will remain in the mempool after the tip change. Then the empty template, the fronts and the
   * start of the full template on the assembler's thread come first. Most of the work for each confirmed transaction
   * follows later in the same tick.
   */
  let outlasts = false;
  // Everything that answers depend on changes in one tick, before the chain answers the call that submitted the block.
  chain.events.addFollower({
    name: 'The mempool',
    onMove: (tip, change) => {
      outlasts = mempool.outlasts(change);
      if (!outlasts) mempool.onTip(tip, change);
      guard.run('new work', () => show(change));
      if (outlasts && mempool.confirming(change)) guard.run('templates', () => templates.onConfirmed());
    },
    onTip: (tip, change) => {
      if (outlasts) mempool.onTip(tip, change);
    },
    settled: () => mempool.settled(),
  });
  mempool.listen(
    {
      added: (entry) => templates.onEntered(entry),
      // Confirmed transactions leave with the tip change, which already triggers a new template.
      removed: (_entry, reason) => {
        if (reason !== 'block') templates.onRanked();
      },
      changed: () => templates.onRanked(),
    },
    'templates',
  );
}
