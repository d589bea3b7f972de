// Declares getbestblockhash.
import type { MethodSpec } from '../../declare/types.js';

export const getbestblockhash: MethodSpec = {
  name: 'getbestblockhash',
  category: 'blockchain',
  runs: 'front',
  description: 'Hash of the tip of the best validated chain.',
  args: [],
  results: [{ type: 'hex', help: 'The block hash' }],
  examples: [{ cli: '', rpc: '' }],
};
