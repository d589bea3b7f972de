import { bool, dyn, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getindexinfo: MethodSpec = {
  name: 'getindexinfo',
  category: 'util',
  runs: 'node',
  repeatable: true,
  description: 'The indexes that are on, and how far they came.',
  args: [str('index_name?', 'Show only this one')],
  results: [
    dyn([
      obj('name', 'Name of the index', [
        bool('synced', 'Whether it has caught up with the chain'),
        num('best_block_height', 'Height up to which it goes'),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'txindex', rpc: 'txindex' },
  ],
};
