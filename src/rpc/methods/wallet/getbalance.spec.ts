import { declare } from '../../declare/parameters.js';
import { amount, bool, num, str } from '../../declare/parts.js';

export const getbalance = declare({
  name: 'getbalance',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the sum of the trusted coins of the wallet.',
  args: [
    str('dummy?', 'Omit, or set to "*"'),
    num('minconf', 'Minimum number of confirmations', { default: '0' }),
    bool('include_watchonly', 'Include watch-only coins', { default: 'true for watch-only wallets, otherwise false' }),
    bool('avoid_reuse', 'Exclude coins of addresses that were spent from (only with avoid_reuse)', { seesAbsence: true, default: 'true' }),
  ],
  results: [amount('BTC')],
  examples: [
    { cli: '', rpc: '' },
    { cli: '"*" 6', rpc: '"*", 6' },
  ],
});
