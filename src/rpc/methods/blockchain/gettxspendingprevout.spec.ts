// Declares gettxspendingprevout.
import type { MethodSpec } from '../../declare/types.js';

export const gettxspendingprevout: MethodSpec = {
  name: 'gettxspendingprevout',
  since: 24,
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Tells which transactions spend outputs: those of the pool, and with -txospenderindex those of blocks.',
  args: [
    {
      name: 'outputs',
      type: 'arr',
      help: 'The outputs',
      inner: [
        {
          name: '',
          type: 'obj',
          optional: true,
          help: '',
          inner: [
            { name: 'txid', type: 'hex', help: 'The transaction id' },
            { name: 'vout', type: 'num', help: 'The output number' },
          ],
        },
      ],
    },
    {
      name: 'options',
      since: 31,
      type: 'obj',
      namedMembers: true,
      optional: true,
      help: '',
      inner: [
        {
          name: 'mempool_only',
          type: 'bool',
          optional: true,
          help: 'Look in the pool alone (default: whether there is no -txospenderindex)',
        },
        { name: 'return_spending_tx', type: 'bool', default: 'false', help: 'Show the transaction, too' },
      ],
    },
  ],
  results: [
    {
      type: 'arr',
      help: '',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'hex', key: 'txid', help: 'The transaction id' },
            { type: 'num', key: 'vout', help: 'The output number' },
            { type: 'hex', key: 'spendingtxid', optional: true, help: 'What spends it, if anything does' },
            { type: 'hex', key: 'spendingtx', since: 31, optional: true, help: 'The same as hex, when asked for' },
            { type: 'hex', key: 'blockhash', since: 31, optional: true, help: 'Its block, unless it is in the pool' },
          ],
        },
      ],
    },
  ],
  examples: [
    {
      cli: `'[{"txid":"a08e6907dbbd3d809776dbfc5d82e371b764ed838b5655e72f463568df1aadf0","vout":3}]'`,
      rpc: '[{"txid":"a08e6907dbbd3d809776dbfc5d82e371b764ed838b5655e72f463568df1aadf0","vout":3}]',
    },
  ],
};
