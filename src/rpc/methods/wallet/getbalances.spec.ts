import { LAST_PROCESSED } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, obj } from '../../declare/parts.js';

export const getbalances = declare({
  name: 'getbalances',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns all balances of the wallet.',
  args: [],
  results: [
    obj([
      obj('mine', 'Coins that the wallet can sign for', [
        amount('trusted', 'Trusted coins: confirmed ones, and own unconfirmed change'),
        amount('untrusted_pending', 'Unconfirmed coins from others'),
        amount('immature', 'Immature block rewards'),
        amount('nonmempool', 'Amount of these coins that own transactions outside the mempool spend (negative)', { since: 32 }),
        amount('used?', 'Coins of addresses that were spent from'),
      ]),
      obj('watchonly?', 'Watch-only coins', { until: 30 }, [
        amount('trusted', 'Trusted coins: confirmed ones, and own unconfirmed change'),
        amount('untrusted_pending', 'Unconfirmed coins from others'),
        amount('immature', 'Immature block rewards'),
      ]),
      LAST_PROCESSED,
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});
