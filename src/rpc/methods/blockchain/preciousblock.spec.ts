// Declares preciousblock.
import type { MethodSpec } from '../../declare/types.js';

export const preciousblock: MethodSpec = {
  name: 'preciousblock',
  category: 'blockchain',
  runs: 'node',
  description:
    'Treats a block as if it had come before others of the same work.\nA later call can override an earlier one; nothing of it is kept over a restart.',
  args: [{ name: 'blockhash', type: 'hex', help: 'The block to prefer' }],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '"blockhash"', rpc: '"blockhash"' }],
};
