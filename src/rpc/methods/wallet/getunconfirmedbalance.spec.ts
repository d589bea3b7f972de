import { declare } from '../../declare/parameters.js';
import { amount } from '../../declare/parts.js';

export const getunconfirmedbalance = declare({
  name: 'getunconfirmedbalance',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the same as getbalances().mine.untrusted_pending. For older programs.',
  args: [],
  results: [amount('BTC')],
  examples: [],
});
