import { IMMATURE_ARG } from '../../declare/history-parts.js';
import { amount, num, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getreceivedbyaddress: MethodSpec = {
  name: 'getreceivedbyaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Sum of what an address received; coinbases count since release 23, once they are mature.',
  args: [
    str('address', 'An address of the wallet'),
    num('minconf', 'Count transactions with at least so many confirmations', { default: '1' }),
    IMMATURE_ARG,
  ],
  results: [amount('BTC')],
  examples: [
    { cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"' },
    { cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl" 6', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl", 6' },
  ],
};
