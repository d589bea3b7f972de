// Declares getrawmempool.
import { ENTRY_MEMBERS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const getrawmempool: MethodSpec = {
  name: 'getrawmempool',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'All transaction ids of the pool.',
  args: [
    { name: 'verbose', type: 'bool', default: 'false', help: 'true for an object of entries, false for a list of ids' },
    {
      name: 'mempool_sequence',
      type: 'bool',
      default: 'false',
      help: 'With verbose false: an object with the list and the sequence number of the pool.',
    },
  ],
  results: [
    { type: 'arr', when: 'for verbose = false', help: '', inner: [{ type: 'hex', help: 'A transaction id' }] },
    {
      type: 'obj-dyn',
      when: 'for verbose = true',
      help: '',
      inner: [{ type: 'obj', key: 'transactionid', help: '', inner: ENTRY_MEMBERS }],
    },
    {
      type: 'obj',
      when: 'for verbose = false and mempool_sequence = true',
      help: '',
      inner: [
        { type: 'arr', key: 'txids', help: '', inner: [{ type: 'hex', help: 'A transaction id' }] },
        { type: 'num', key: 'mempool_sequence', help: 'The sequence number of the pool.' },
      ],
    },
  ],
  examples: [{ cli: 'true', rpc: 'true' }],
};
