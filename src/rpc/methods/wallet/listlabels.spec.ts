// Declares listlabels.
import type { MethodSpec } from '../../declare/types.js';

export const listlabels: MethodSpec = {
  name: 'listlabels',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Lists the labels, those of one purpose when it is given.',
  args: [{ name: 'purpose', type: 'str', optional: true, help: 'send or receive' }],
  results: [{ type: 'arr', help: '', inner: [{ type: 'str', help: 'A label' }] }],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'receive', rpc: '"receive"' },
  ],
};
