// Declares getmempoolcluster.
import type { MethodSpec } from '../../declare/types.js';

export const getmempoolcluster: MethodSpec = {
  name: 'getmempoolcluster',
  since: 31,
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Everything in the pool that hangs together with a transaction, in the order of blocks, cut into what is mined as one.',
  args: [{ name: 'txid', type: 'hex', help: 'A transaction of the cluster' }],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'num', key: 'clusterweight', help: 'Sigop-adjusted weight of all' },
        { type: 'num', key: 'txcount', help: 'How many there are' },
        {
          type: 'arr',
          key: 'chunks',
          help: 'Best first',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'amount', key: 'chunkfee', help: 'Fees with deltas, in BTC' },
                { type: 'num', key: 'chunkweight', help: 'Sigop-adjusted weight' },
                { type: 'arr', key: 'txs', help: 'In the order of blocks', inner: [{ type: 'hex', help: 'A transaction id' }] },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: 'txid', rpc: '"txid"' }],
};
