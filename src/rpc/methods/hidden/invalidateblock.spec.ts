import { declare } from '../../declare/parameters.js';
import { hash, none } from '../../declare/parts.js';

export const invalidateblock = declare({
  name: 'invalidateblock',
  category: 'hidden',
  runs: 'node',
  description: 'Marks a block as invalid permanently, as if it violated a consensus rule.',
  args: [hash('blockhash', 'The block')],
  results: [none()],
  examples: [{ cli: '"blockhash"', rpc: '"blockhash"' }],
  waits: true,
});
