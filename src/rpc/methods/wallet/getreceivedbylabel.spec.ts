// Declares getreceivedbylabel.
import { IMMATURE_ARG } from '../../declare/history-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getreceivedbylabel: MethodSpec = {
  name: 'getreceivedbylabel',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Sum of what the addresses of a label received; coinbases count since release 23, once they are mature.',
  args: [
    { name: 'label', type: 'str', help: 'The label; "" is one too' },
    { name: 'minconf', type: 'num', default: '1', help: 'Count transactions with at least so many confirmations' },
    IMMATURE_ARG,
  ],
  results: [{ type: 'amount', help: 'BTC' }],
  examples: [
    { cli: '""', rpc: '""' },
    { cli: '"tabby" 6', rpc: '"tabby", 6' },
  ],
};
