import { amount, arr, hex, num, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getmempoolcluster: MethodSpec = {
  name: 'getmempoolcluster',
  since: 31,
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Everything in the pool that hangs together with a transaction, in the order of blocks, cut into what is mined as one.',
  args: [hex('txid', 'A transaction of the cluster')],
  results: [
    obj([
      num('clusterweight', 'Sigop-adjusted weight of all'),
      num('txcount', 'How many there are'),
      arr('chunks', 'Best first', [
        obj([
          amount('chunkfee', 'Fees with deltas, in BTC'),
          num('chunkweight', 'Sigop-adjusted weight'),
          arr('txs', 'In the order of blocks', [hex('A transaction id')]),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: 'txid', rpc: '"txid"' }],
};
