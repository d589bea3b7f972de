// Declares gettxoutproof.
import type { MethodSpec } from '../../declare/types.js';

export const gettxoutproof: MethodSpec = {
  name: 'gettxoutproof',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'A proof, as hex, that transactions are in a block. Without a block hash at least one of them must\nhave an unspent output.',
  args: [
    {
      name: 'txids',
      type: 'arr',
      help: 'The transactions',
      inner: [{ name: 'txid', type: 'hex', optional: true, help: 'A transaction id' }],
    },
    { name: 'blockhash', type: 'hex', optional: true, help: 'The block to look in' },
  ],
  results: [{ type: 'str', help: 'The proof' }],
  examples: [{ cli: `'["mytxid",...]'`, rpc: '["mytxid",...]' }],
};
