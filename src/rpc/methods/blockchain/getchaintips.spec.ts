import { declare } from '../../declare/parameters.js';
import { arr, hex, num, obj, str } from '../../declare/parts.js';

export const getchaintips = declare({
  name: 'getchaintips',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the last block of each branch of the block tree, including the best chain.',
  args: [],
  results: [
    arr([
      obj([
        num('height', 'Height of the last block of the branch'),
        hex('hash', 'Its hash'),
        num('branchlen', 'Number of blocks from the best chain to the last block of the branch, 0 for the tip'),
        str('status', '"active", "valid-fork", "valid-headers", "headers-only" or "invalid"'),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});
