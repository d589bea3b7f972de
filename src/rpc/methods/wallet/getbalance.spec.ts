import { amount, bool, num, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getbalance: MethodSpec = {
  name: 'getbalance',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  repeatable: true,
  description: 'Sum of the coins the wallet can rely on.',
  args: [
    str('dummy?', 'Left out or "*"'),
    num('minconf', 'Count transactions with at least so many confirmations', { default: '0' }),
    bool('include_watchonly', 'Count coins that are watched only', { default: 'true for watch-only wallets, otherwise false' }),
    bool('avoid_reuse', 'Leave out coins of addresses that were spent from', { default: 'true' }),
  ],
  results: [amount('BTC')],
  examples: [
    { cli: '', rpc: '' },
    { cli: '"*" 6', rpc: '"*", 6' },
  ],
};
