// Declares submitblock; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const submitblock: MethodSpec = {
  name: 'submitblock',
  category: 'mining',
  runs: 'pool',
  description: 'Hands in a block. See BIP22.',
  args: [
    { name: 'hexdata', type: 'hex', help: 'The block' },
    { name: 'dummy', type: 'str', default: 'ignored', help: 'Read by nobody; there for BIP22.' },
  ],
  results: [
    { type: 'none', help: 'when the block was accepted' },
    { type: 'str', when: 'otherwise', help: 'The reason, as BIP22 names it' },
  ],
  examples: [{ cli: '"mydata"', rpc: '"mydata"' }],
};
