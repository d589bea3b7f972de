// Declares importmempool.
import type { MethodSpec } from '../../declare/types.js';

export const importmempool: MethodSpec = {
  name: 'importmempool',
  category: 'blockchain',
  runs: 'node',
  since: 26,
  description:
    'Offers the transactions of a saved pool (mempool.dat of this node or of Bitcoin Core) to the pool. Times, fee deltas and\nmarks of a file that others made should be left alone.',
  args: [
    { name: 'filepath', type: 'str', help: 'The file' },
    {
      name: 'options',
      type: 'obj',
      optional: true,
      oneline: 'options',
      namedMembers: true,
      help: '',
      inner: [
        { name: 'use_current_time', type: 'bool', default: 'true', help: 'Take them as coming now, not as when the file says' },
        { name: 'apply_fee_delta_priority', type: 'bool', default: 'false', help: 'Add the fee deltas of the file to those there are' },
        { name: 'apply_unbroadcast_set', type: 'bool', default: 'false', help: 'Announce again what the file says no peer asked for' },
      ],
    },
  ],
  results: [{ type: 'obj', help: '' }],
  examples: [{ cli: '/path/to/mempool.dat', rpc: '"/path/to/mempool.dat"' }],
  waits: true,
};
