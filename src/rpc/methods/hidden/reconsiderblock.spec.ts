import { declare } from '../../declare/parameters.js';
import { hash, none } from '../../declare/parts.js';

export const reconsiderblock = declare({
  name: 'reconsiderblock',
  category: 'hidden',
  runs: 'node',
  description:
    'Removes the invalid mark from a block, its ancestors and its descendants, and checks them again.\nThis undoes invalidateblock.',
  args: [hash('blockhash', 'The block to reconsider')],
  results: [none()],
  examples: [{ cli: '"blockhash"', rpc: '"blockhash"' }],
  waits: true,
});
