// Updates templates and the mempool after a tip change, templates first. The mempool is a follower: its exceptions stop the
// node. The guard catches exceptions of templates, as of every other listener.

import type { Chain } from '../chain/chain.js';
import type { TipChange } from '../chain/events.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import type { Mempool } from '../mempool/mempool.js';
import type { TemplateService } from '../template/service.js';

/** What follows. */
export interface TipFollowers {
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly templates: TemplateService;
  readonly guard: ListenerGuard;
}

/**
 * Subscribes mempool and templates to the chain, and templates to the mempool.
 * @param show makes the tip known, the template without transactions included (templates.onTip); afterwards the full one
 *   is begun
 */
export function followTip({ chain, mempool, templates, guard }: TipFollowers, show: (change: TipChange) => void): void {
  /**
   * Where some transactions are sure to be left in the mempool, the template without them and the fronts need to know no
   * more than that. Then the full template is begun, on the assembler's thread; most of what is done for each confirmed
   * transaction follows meanwhile, in the same turn.
   */
  let outlasts = false;
  // What answers depend on moves in one go, before the chain answers the call that brought the block.
  chain.addFollower({
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
  });
  chain.waitForMempool(() => mempool.settled());
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
