// Declares getaddressesbylabel.
import type { MethodSpec } from '../../declare/types.js';

export const getaddressesbylabel: MethodSpec = {
  name: 'getaddressesbylabel',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Lists the addresses of a label.',
  args: [{ name: 'label', type: 'str', help: 'The label' }],
  results: [
    {
      type: 'obj-dyn',
      help: 'Members are addresses',
      inner: [{ type: 'obj', key: 'address', help: '', inner: [{ type: 'str', key: 'purpose', help: 'send or receive' }] }],
    },
  ],
  examples: [{ cli: '"tabby"', rpc: '"tabby"' }],
};
