import { IMMATURE_ARG } from '../../declare/history-parts.js';
import { amount, num, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getreceivedbylabel: MethodSpec = {
  name: 'getreceivedbylabel',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Sum of what the addresses of a label received; coinbases count since release 23, once they are mature.',
  args: [
    str('label', 'The label; "" is one too'),
    num('minconf', 'Count transactions with at least so many confirmations', { default: '1' }),
    IMMATURE_ARG,
  ],
  results: [amount('BTC')],
  examples: [
    { cli: '""', rpc: '""' },
    { cli: '"tabby" 6', rpc: '"tabby", 6' },
  ],
};
