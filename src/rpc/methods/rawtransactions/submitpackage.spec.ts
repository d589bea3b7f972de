// Declares submitpackage.
import type { MethodSpec } from '../../declare/types.js';

export const submitpackage: MethodSpec = {
  name: 'submitpackage',
  category: 'rawtransactions',
  runs: 'node',
  description:
    'Hands in a transaction with the unconfirmed transactions that it spends, whose fees then count together:\nparents first, the child last, no parent spending another. Or one transaction.\nWhat can stand alone is taken alone; the rest is taken together or not at all.',
  args: [
    {
      name: 'package',
      type: 'arr',
      help: 'The transactions as hex, 25 at most',
      inner: [{ name: 'rawtx', type: 'hex', optional: true, help: '' }],
    },
    {
      name: 'maxfeerate',
      type: 'amount',
      default: '0.10',
      help: 'Refuse transactions above this feerate, in BTC/kvB.\n0 takes any; 1 and more are refused.',
    },
    {
      name: 'maxburnamount',
      type: 'amount',
      default: '0.00',
      help: 'Refuse outputs that nobody can spend above this amount, in BTC',
    },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'package_msg', help: '"success", or what is wrong with the package' },
        {
          type: 'obj-dyn',
          key: 'tx-results',
          help: 'By witness hash',
          inner: [
            {
              type: 'obj',
              key: 'wtxid',
              help: '',
              inner: [
                { type: 'hex', key: 'txid', help: 'The transaction id' },
                { type: 'hex', key: 'other-wtxid', optional: true, help: 'What the pool has instead: the same with another witness' },
                {
                  type: 'num',
                  key: 'vsize_adjusted',
                  since: 32,
                  optional: true,
                  help: 'Sigop-adjusted virtual size, when it is in the pool',
                },
                { type: 'num', key: 'vsize', optional: true, help: 'The same' },
                { type: 'num', key: 'vsize_bip141', since: 32, optional: true, help: 'Virtual size (BIP141), when it is in the pool' },
                {
                  type: 'obj',
                  key: 'fees',
                  optional: true,
                  help: 'When it is in the pool',
                  inner: [
                    { type: 'amount', key: 'base', help: 'The fee in BTC' },
                    {
                      type: 'amount',
                      key: 'effective-feerate',
                      optional: true,
                      help: 'The feerate it counted with, in BTC/kvB, unless it was there before',
                    },
                    {
                      type: 'arr',
                      key: 'effective-includes',
                      optional: true,
                      help: 'Witness hashes of those that counted together',
                      inner: [{ type: 'hex', help: '' }],
                    },
                  ],
                },
                { type: 'str', key: 'error', optional: true, help: 'Why it is not in the pool' },
              ],
            },
          ],
        },
        {
          type: 'arr',
          key: 'replaced-transactions',
          optional: true,
          help: 'Ids of transactions that had to go',
          inner: [{ type: 'hex', help: '' }],
        },
      ],
    },
  ],
  examples: [{ cli: `'["parenthex", "childhex"]'`, rpc: '["parenthex", "childhex"]' }],
};
