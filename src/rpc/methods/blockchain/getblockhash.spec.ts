// Declares getblockhash.
import type { MethodSpec } from '../../declare/types.js';

export const getblockhash: MethodSpec = {
  name: 'getblockhash',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Hash of the block of the best chain at a height.',
  args: [{ name: 'height', type: 'num', help: 'The height' }],
  results: [{ type: 'hex', help: 'The block hash' }],
  examples: [{ cli: '1000', rpc: '1000' }],
};
