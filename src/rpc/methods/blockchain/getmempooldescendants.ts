import type { NodeRun } from '../../context/node.js';
import { ENTRY_MEMBERS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, dyn, hex, obj } from '../../declare/parts.js';
import { relatives } from '../../node/pool.js';

export const spec = declare({
  name: 'getmempooldescendants',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns all descendants of a transaction in the mempool.',
  args: [
    hex('txid', 'The transaction id (must be in the mempool)'),
    bool('verbose', 'true for an object of entries, false for a list of ids', { default: 'false' }),
  ],
  results: [
    arr({ when: 'for verbose = false' }, [hex('The id of a descendant')]),
    dyn({ when: 'for verbose = true' }, [obj('transactionid', '', ENTRY_MEMBERS)]),
  ],
  examples: [{ cli: '"mytxid"', rpc: '"mytxid"' }],
});

export const getmempooldescendants: NodeRun<typeof spec> = /* @__PURE__ */ relatives((ctx, entry) => ctx.mempool.descendants(entry));
