import { declare } from '../../declare/parameters.js';
import { bool, dyn, num, obj, str } from '../../declare/parts.js';

export const getindexinfo = declare({
  name: 'getindexinfo',
  category: 'util',
  runs: 'node',
  repeatable: true,
  description: 'Returns the enabled indexes and their progress.',
  args: [str('index_name?', 'Return only this index')],
  results: [
    dyn([
      obj('name', 'Name of the index', [
        bool('synced', 'Whether the index has caught up with the chain'),
        num('best_block_height', 'Height up to which the index has blocks'),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'txindex', rpc: 'txindex' },
  ],
});
