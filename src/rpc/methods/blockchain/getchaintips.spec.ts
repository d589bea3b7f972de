// Declares getchaintips.
import type { MethodSpec } from '../../declare/types.js';

export const getchaintips: MethodSpec = {
  name: 'getchaintips',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'All heads of the block tree, the best chain and its branches.',
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
            { type: 'num', key: 'height', help: 'Height of the head' },
            { type: 'hex', key: 'hash', help: 'Its hash' },
            { type: 'num', key: 'branchlen', help: 'Blocks from the best chain to it, 0 for the tip' },
            { type: 'str', key: 'status', help: '"active", "valid-fork", "valid-headers", "headers-only" or "invalid"' },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
