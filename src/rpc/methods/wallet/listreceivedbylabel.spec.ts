import { IMMATURE_ARG, receivedArgs } from '../../declare/history-parts.js';
import { amount, arr, bool, num, obj, str } from '../../declare/parts.js';
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
    arr([
      obj([
        bool('involvesWatchonly?', 'An address is watched only'),
        amount('amount', 'BTC'),
        num('confirmations', 'Confirmations of the latest of its transactions'),
        str('label', 'The label'),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: '6 true', rpc: '6, true' },
  ],
};
