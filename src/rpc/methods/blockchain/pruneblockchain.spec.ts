import { declare } from '../../declare/parameters.js';
import { num } from '../../declare/parts.js';

export const pruneblockchain = declare({
  name: 'pruneblockchain',
  category: 'blockchain',
  runs: 'node',
  description: 'Deletes files of old blocks. Requires -prune. The newest 288 blocks always remain.',
  args: [
    num(
      'height',
      'Delete blocks up to this height. A number above a billion is a time: blocks that are at least 2 hours older are deleted',
    ),
  ],
  results: [num('Height of the last pruned block, -1 if none is pruned; before release 28 the height from which on all blocks are stored')],
  examples: [{ cli: '1000', rpc: '1000' }],
});
