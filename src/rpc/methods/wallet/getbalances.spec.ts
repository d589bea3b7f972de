import { LAST_PROCESSED } from '../../declare/members.js';
import { amount, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getbalances: MethodSpec = {
  name: 'getbalances',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  repeatable: true,
  description: 'All balances of the wallet.',
  args: [],
  results: [
    obj([
      obj('mine', 'What it can sign for', [
        amount('trusted', 'Coins to rely on: confirmed, or own change'),
        amount('untrusted_pending', 'Coins others paid, unconfirmed'),
        amount('immature', 'Block rewards that cannot be spent yet'),
        amount('nonmempool', 'What own transactions that are not in the mempool spend of these, negative', { since: 32 }),
        amount('used?', 'Coins of addresses that were spent from'),
      ]),
      obj('watchonly?', 'What it only watches', { until: 30 }, [
        amount('trusted', 'Coins to rely on: confirmed, or own change'),
        amount('untrusted_pending', 'Coins others paid, unconfirmed'),
        amount('immature', 'Block rewards that cannot be spent yet'),
      ]),
      LAST_PROCESSED,
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
