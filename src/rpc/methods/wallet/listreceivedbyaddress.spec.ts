import { IMMATURE_ARG, receivedArgs } from '../../declare/history-parts.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';

export const listreceivedbyaddress = declare({
  name: 'listreceivedbyaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the sum that each labelled address has received. Since release 23 this includes mature coinbases.',
  args: [...receivedArgs('addresses'), str('address_filter?', 'Return only this address', { as: 'json' }), IMMATURE_ARG],
  results: [
    arr([
      obj([
        bool('involvesWatchonly?', 'Whether the address is watch-only'),
        str('address', 'Address'),
        amount('amount', 'BTC'),
        num('confirmations', 'Number of confirmations of the latest transaction'),
        str('label', 'The label'),
        arr('txids', 'Ids of the transactions', [hex('txid', 'Transaction')]),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: '6 true', rpc: '6, true' },
    { cli: '6 true true "bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"', rpc: '6, true, true, "bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"' },
  ],
});
