// Declares listlockunspent.
import type { MethodSpec } from '../../declare/types.js';

export const listlockunspent: MethodSpec = {
  name: 'listlockunspent',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
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
