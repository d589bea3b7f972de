// Declares getaddressesbylabel; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const getaddressesbylabel: MethodSpec = {
  name: 'getaddressesbylabel',
  category: 'wallet',
  runs: 'node',
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
