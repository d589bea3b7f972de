// Declares listlockunspent; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const listlockunspent: MethodSpec = {
  name: 'listlockunspent',
  category: 'wallet',
  runs: 'node',
  repeatable: true,
  description: 'Lists the coins kept back by lockunspent.',
  args: [],
  results: [
    {
      type: 'arr',
      help: '',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'hex', key: 'txid', help: 'Transaction' },
            { type: 'num', key: 'vout', help: 'Output' },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
