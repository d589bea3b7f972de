// Declares reconsiderblock.
import type { MethodSpec } from '../../declare/types.js';

export const reconsiderblock: MethodSpec = {
  name: 'reconsiderblock',
  category: 'hidden',
  runs: 'node',
  description:
    'Takes the invalid mark from a block, its ancestors and descendants, and tries them again.\nThe way to undo invalidateblock.',
  args: [{ name: 'blockhash', type: 'hex', help: 'The block to reconsider' }],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '"blockhash"', rpc: '"blockhash"' }],
  waits: true,
};
