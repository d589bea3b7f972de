// Declares getmempooldescendants.
import { ENTRY_MEMBERS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const getmempooldescendants: MethodSpec = {
  name: 'getmempooldescendants',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'All descendants of a transaction in the pool.',
  args: [
    { name: 'txid', type: 'hex', help: 'The transaction id (must be in the pool)' },
    { name: 'verbose', type: 'bool', default: 'false', help: 'true for an object of entries, false for a list of ids' },
  ],
  results: [
    { type: 'arr', when: 'for verbose = false', help: '', inner: [{ type: 'hex', help: 'The id of a descendant' }] },
    {
      type: 'obj-dyn',
      when: 'for verbose = true',
      help: '',
      inner: [{ type: 'obj', key: 'transactionid', help: '', inner: ENTRY_MEMBERS }],
    },
  ],
  examples: [{ cli: '"mytxid"', rpc: '"mytxid"' }],
};
