import { IMMATURE_ARG, receivedArgs } from '../../declare/history-parts.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, num, obj, str } from '../../declare/parts.js';

export const listreceivedbylabel = declare({
  name: 'listreceivedbylabel',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the sum that the addresses of each label have received. Since release 23 this includes mature\ncoinbases.',
  args: [...receivedArgs('labels'), IMMATURE_ARG],
  results: [
    arr([
      obj([
        bool('involvesWatchonly?', 'Whether an address of the label is watch-only'),
        amount('amount', 'BTC'),
        num('confirmations', 'Number of confirmations of the latest transaction'),
        str('label', 'The label'),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: '6 true', rpc: '6, true' },
  ],
});
