// Declares invalidateblock.
import type { MethodSpec } from '../../declare/types.js';

export const invalidateblock: MethodSpec = {
  name: 'invalidateblock',
  category: 'hidden',
  runs: 'node',
  description: 'Marks a block invalid for good, as if it broke a consensus rule.',
  args: [{ name: 'blockhash', type: 'hex', help: 'The block' }],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '"blockhash"', rpc: '"blockhash"' }],
  waits: true,
};
