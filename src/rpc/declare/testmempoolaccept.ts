// Declares testmempoolaccept; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const testmempoolaccept: MethodSpec = {
  name: 'testmempoolaccept',
  category: 'rawtransactions',
  runs: 'node',
  description: 'Tells whether a transaction would be taken into the pool.',
  args: [
    {
      name: 'rawtxs',
      type: 'arr',
      help: 'The transactions as hex, one for now.',
      inner: [{ name: 'rawtx', type: 'hex', optional: true, help: '' }],
    },
    { name: 'maxfeerate', type: 'amount', default: '0.10', help: 'Refuse it above this feerate, in BTC/kB' },
  ],
  results: [
    {
      type: 'arr',
      help: 'One result for each transaction',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'hex', key: 'txid', help: 'The transaction id' },
            { type: 'bool', key: 'allowed', help: 'Whether it would be taken' },
            { type: 'num', key: 'vsize', optional: true, help: 'Virtual size (BIP141), when allowed' },
            {
              type: 'obj',
              key: 'fees',
              optional: true,
              help: 'Fees, when allowed',
              inner: [{ type: 'amount', key: 'base', help: 'The fee in BTC' }],
            },
            { type: 'str', key: 'reject-reason', optional: true, help: 'Why it would not' },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: `'["signedhex"]'`, rpc: '["signedhex"]' }],
};
