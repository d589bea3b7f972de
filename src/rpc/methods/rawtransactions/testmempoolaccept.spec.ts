// Declares testmempoolaccept.
import type { MethodSpec } from '../../declare/types.js';

export const testmempoolaccept: MethodSpec = {
  name: 'testmempoolaccept',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  description:
    'Tells whether transactions would be taken into the pool: one, or several in order, of which later ones may spend earlier ones.',
  args: [
    {
      name: 'rawtxs',
      type: 'arr',
      help: 'The transactions as hex, 25 at most, none twice.',
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
            { type: 'hex', key: 'wtxid', since: 22, help: 'The witness hash' },
            { type: 'str', key: 'package-error', since: 22, optional: true, help: 'What is wrong with several transactions together' },
            { type: 'bool', key: 'allowed', optional: true, help: 'Whether it would be taken; absent when one before it would not' },
            { type: 'num', key: 'vsize_adjusted', since: 32, optional: true, help: 'Virtual size with signature operations, when allowed' },
            { type: 'num', key: 'vsize', optional: true, help: 'Virtual size that fees count on, when allowed' },
            { type: 'num', key: 'vsize_bip141', since: 32, optional: true, help: 'Virtual size (BIP141), when allowed' },
            {
              type: 'obj',
              key: 'fees',
              optional: true,
              help: 'Fees, when allowed',
              inner: [
                { type: 'amount', key: 'base', help: 'The fee in BTC' },
                { type: 'amount', key: 'effective-feerate', since: 25, optional: true, help: 'The feerate in BTC/kvB' },
                {
                  type: 'arr',
                  key: 'effective-includes',
                  since: 25,
                  optional: true,
                  help: 'Witness hashes that count for it',
                  inner: [{ type: 'hex', help: '' }],
                },
              ],
            },
            { type: 'str', key: 'reject-reason', optional: true, help: 'Why it would not' },
            { type: 'str', key: 'reject-details', since: 29, optional: true, help: 'The same with details' },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: `'["signedhex"]'`, rpc: '["signedhex"]' }],
};
