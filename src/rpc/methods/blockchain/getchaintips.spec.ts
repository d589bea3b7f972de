import { arr, hex, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getchaintips: MethodSpec = {
  name: 'getchaintips',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'All heads of the block tree, the best chain and its branches.',
  args: [],
  results: [
    arr([
      obj([
        num('height', 'Height of the head'),
        hex('hash', 'Its hash'),
        num('branchlen', 'Blocks from the best chain to it, 0 for the tip'),
        str('status', '"active", "valid-fork", "valid-headers", "headers-only" or "invalid"'),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
