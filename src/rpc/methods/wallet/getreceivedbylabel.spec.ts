import { IMMATURE_ARG } from '../../declare/history-parts.js';
import { declare } from '../../declare/parameters.js';
import { amount, num, str } from '../../declare/parts.js';

export const getreceivedbylabel = declare({
  name: 'getreceivedbylabel',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the sum that the addresses of a label have received. Since release 23 this includes mature coinbases.',
  args: [str('label', 'The label. "" is a label too'), num('minconf', 'Minimum number of confirmations', { default: '1' }), IMMATURE_ARG],
  results: [amount('BTC')],
  examples: [
    { cli: '""', rpc: '""' },
    { cli: '"tabby" 6', rpc: '"tabby", 6' },
  ],
});
