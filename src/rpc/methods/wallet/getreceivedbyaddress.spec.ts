import { IMMATURE_ARG } from '../../declare/history-parts.js';
import { declare } from '../../declare/parameters.js';
import { amount, num, str } from '../../declare/parts.js';

export const getreceivedbyaddress = declare({
  name: 'getreceivedbyaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the sum that an address has received. Since release 23 this includes mature coinbases.',
  args: [str('address', 'An address of the wallet'), num('minconf', 'Minimum number of confirmations', { default: '1' }), IMMATURE_ARG],
  results: [amount('BTC')],
  examples: [
    { cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"' },
    { cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl" 6', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl", 6' },
  ],
});
