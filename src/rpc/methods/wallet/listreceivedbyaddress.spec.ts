import { IMMATURE_ARG, receivedArgs } from '../../declare/history-parts.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listreceivedbyaddress: MethodSpec = {
  name: 'listreceivedbyaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Lists what each labelled address received; coinbases count since release 23, once they are mature.',
  args: [...receivedArgs('addresses'), str('address_filter?', 'Only this address'), IMMATURE_ARG],
  results: [
    arr([
      obj([
        bool('involvesWatchonly?', 'The address is watched only'),
        str('address', 'Address'),
        amount('amount', 'BTC'),
        num('confirmations', 'Confirmations of the latest of its transactions'),
        str('label', 'Its label'),
        arr('txids', 'Its transactions', [hex('txid', 'Transaction')]),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: '6 true', rpc: '6, true' },
    { cli: '6 true true "bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"', rpc: '6, true, true, "bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"' },
  ],
};
