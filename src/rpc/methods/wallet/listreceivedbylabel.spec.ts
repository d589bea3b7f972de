// Declares listreceivedbylabel.
import { IMMATURE_ARG, receivedArgs } from '../../declare/history-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listreceivedbylabel: MethodSpec = {
  name: 'listreceivedbylabel',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Lists what the addresses of each label received; coinbases count since release 23, once they are mature.',
  args: [...receivedArgs('labels'), IMMATURE_ARG],
  results: [
    {
      type: 'arr',
      help: '',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'bool', key: 'involvesWatchonly', optional: true, help: 'An address is watched only' },
            { type: 'amount', key: 'amount', help: 'BTC' },
            { type: 'num', key: 'confirmations', help: 'Confirmations of the latest of its transactions' },
            { type: 'str', key: 'label', help: 'The label' },
          ],
        },
      ],
    },
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: '6 true', rpc: '6, true' },
  ],
};
