import { declare } from '../../declare/parameters.js';
import { arr, str } from '../../declare/parts.js';

export const listlabels = declare({
  name: 'listlabels',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the labels, or only those of the given purpose.',
  args: [str('purpose?', 'send or receive')],
  results: [arr([str('A label')])],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'receive', rpc: '"receive"' },
  ],
});
