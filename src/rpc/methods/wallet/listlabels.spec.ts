import { arr, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listlabels: MethodSpec = {
  name: 'listlabels',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Lists the labels, those of one purpose when it is given.',
  args: [str('purpose?', 'send or receive')],
  results: [arr([str('A label')])],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'receive', rpc: '"receive"' },
  ],
};
