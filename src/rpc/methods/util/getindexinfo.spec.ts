// Declares getindexinfo.
import type { MethodSpec } from '../../declare/types.js';

export const getindexinfo: MethodSpec = {
  name: 'getindexinfo',
  category: 'util',
  runs: 'node',
  repeatable: true,
  description: 'The indexes that are on, and how far they came.',
  args: [{ name: 'index_name', type: 'str', optional: true, help: 'Show only this one' }],
  results: [
    {
      type: 'obj-dyn',
      help: '',
      inner: [
        {
          type: 'obj',
          key: 'name',
          help: 'Name of the index',
          inner: [
            { type: 'bool', key: 'synced', help: 'Whether it has caught up with the chain' },
            { type: 'num', key: 'best_block_height', help: 'Height up to which it goes' },
          ],
        },
      ],
    },
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'txindex', rpc: 'txindex' },
  ],
};
