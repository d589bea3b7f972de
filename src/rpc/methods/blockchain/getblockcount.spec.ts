import { num } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getblockcount: MethodSpec = {
  name: 'getblockcount',
  category: 'blockchain',
  runs: 'front',
  kept: true,
  description: 'Height of the best validated chain. The genesis block has height 0.',
  args: [],
  results: [num('The height')],
  examples: [{ cli: '', rpc: '' }],
};
