import { hex } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getbestblockhash: MethodSpec = {
  name: 'getbestblockhash',
  category: 'blockchain',
  runs: 'front',
  cacheable: true,
  description: 'Returns the hash of the tip of the best validated chain.',
  args: [],
  results: [hex('The block hash')],
  examples: [{ cli: '', rpc: '' }],
};
