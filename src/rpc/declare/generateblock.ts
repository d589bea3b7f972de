// Declares generateblock; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const generateblock: MethodSpec = {
  name: 'generateblock',
  category: 'generating',
  runs: 'pool',
  description:
    'Mines one block with the given transactions in the given order and pays it to an address or descriptor.\nFees are not collected.',
  args: [
    { name: 'output', type: 'str', holds: 'descriptor', help: 'An address or a descriptor.' },
    {
      name: 'transactions',
      type: 'arr',
      help: 'The transactions: ids of the pool, or raw ones',
      inner: [{ name: 'rawtx/txid', type: 'str', optional: true, help: '' }],
    },
  ],
  results: [{ type: 'obj', help: '', inner: [{ type: 'hex', key: 'hash', help: 'Hash of the block' }] }],
  examples: [{ title: 'A block with two transactions', cli: `"myaddress" '["rawtx", "mempool_txid"]'` }],
  waits: true,
};
