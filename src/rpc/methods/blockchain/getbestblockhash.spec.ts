import { declare } from '../../declare/parameters.js';
import { hex } from '../../declare/parts.js';

export const getbestblockhash = declare({
  name: 'getbestblockhash',
  category: 'blockchain',
  runs: 'front',
  cacheable: true,
  description: 'Returns the hash of the tip of the best validated chain.',
  args: [],
  results: [hex('The block hash')],
  examples: [{ cli: '', rpc: '' }],
});
