// Declares getbalances.
import { LAST_PROCESSED } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const getbalances: MethodSpec = {
  name: 'getbalances',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'All balances of the wallet.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        {
          type: 'obj',
          key: 'mine',
          help: 'What it can sign for',
          inner: [
            { type: 'amount', key: 'trusted', help: 'Coins to rely on: confirmed, or own change' },
            { type: 'amount', key: 'untrusted_pending', help: 'Coins others paid, unconfirmed' },
            { type: 'amount', key: 'immature', help: 'Block rewards that cannot be spent yet' },
            {
              type: 'amount',
              key: 'nonmempool',
              since: 32,
              help: 'What own transactions that are not in the mempool spend of these, negative',
            },
            { type: 'amount', key: 'used', optional: true, help: 'Coins of addresses that were spent from' },
          ],
        },
        {
          type: 'obj',
          key: 'watchonly',
          until: 30,
          optional: true,
          help: 'What it only watches',
          inner: [
            { type: 'amount', key: 'trusted', help: 'Coins to rely on: confirmed, or own change' },
            { type: 'amount', key: 'untrusted_pending', help: 'Coins others paid, unconfirmed' },
            { type: 'amount', key: 'immature', help: 'Block rewards that cannot be spent yet' },
          ],
        },
        LAST_PROCESSED,
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
