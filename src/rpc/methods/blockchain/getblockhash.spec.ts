import { declare } from '../../declare/parameters.js';
import { hex, num } from '../../declare/parts.js';

export const getblockhash = declare({
  name: 'getblockhash',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the hash of the block of the best chain at a height.',
  args: [num('height', 'The height')],
  results: [hex('The block hash')],
  examples: [{ cli: '1000', rpc: '1000' }],
});
