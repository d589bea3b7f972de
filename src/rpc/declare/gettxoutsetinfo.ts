// Declares gettxoutsetinfo; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const gettxoutsetinfo: MethodSpec = {
  name: 'gettxoutsetinfo',
  category: 'blockchain',
  runs: 'node',
  description: 'Statistics of the set of unspent outputs. This may take some time.',
  args: [{ name: 'hash_type', type: 'str', default: 'hash_serialized_2', help: 'Which hash to make: "hash_serialized_2" or "none".' }],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'num', key: 'height', help: 'Height of the tip' },
        { type: 'hex', key: 'bestblock', help: 'Hash of the tip' },
        { type: 'num', key: 'transactions', help: 'Transactions with unspent outputs' },
        { type: 'num', key: 'txouts', help: 'Unspent outputs' },
        { type: 'num', key: 'bogosize', help: 'A size that does not depend on the database' },
        { type: 'hex', key: 'hash_serialized_2', optional: true, help: 'The hash' },
        { type: 'num', key: 'disk_size', help: 'Estimated bytes on disk' },
        { type: 'amount', key: 'total_amount', help: 'All coins' },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
  waits: true,
};
