// Declares listreceivedbyaddress.
import { IMMATURE_ARG, receivedArgs } from '../../declare/history-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listreceivedbyaddress: MethodSpec = {
  name: 'listreceivedbyaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Lists what each labelled address received; coinbases count since release 23, once they are mature.',
  args: [...receivedArgs('addresses'), { name: 'address_filter', type: 'str', optional: true, help: 'Only this address' }, IMMATURE_ARG],
  results: [
    {
      type: 'arr',
      help: '',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'bool', key: 'involvesWatchonly', optional: true, help: 'The address is watched only' },
            { type: 'str', key: 'address', help: 'Address' },
            { type: 'amount', key: 'amount', help: 'BTC' },
            { type: 'num', key: 'confirmations', help: 'Confirmations of the latest of its transactions' },
            { type: 'str', key: 'label', help: 'Its label' },
            { type: 'arr', key: 'txids', help: 'Its transactions', inner: [{ type: 'hex', key: 'txid', help: 'Transaction' }] },
          ],
        },
      ],
    },
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: '6 true', rpc: '6, true' },
    { cli: '6 true true "bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"', rpc: '6, true, true, "bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"' },
  ],
};
