// Declares getbalance.
import type { MethodSpec } from '../../declare/types.js';

export const getbalance: MethodSpec = {
  name: 'getbalance',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Sum of the coins the wallet can rely on.',
  args: [
    { name: 'dummy', type: 'str', optional: true, help: 'Left out or "*"' },
    { name: 'minconf', type: 'num', default: '0', help: 'Count transactions with at least so many confirmations' },
    {
      name: 'include_watchonly',
      type: 'bool',
      default: 'true for watch-only wallets, otherwise false',
      help: 'Count coins that are watched only',
    },
    { name: 'avoid_reuse', type: 'bool', default: 'true', help: 'Leave out coins of addresses that were spent from' },
  ],
  results: [{ type: 'amount', help: 'BTC' }],
  examples: [
    { cli: '', rpc: '' },
    { cli: '"*" 6', rpc: '"*", 6' },
  ],
};
