import { bool, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const importmempool: MethodSpec = {
  name: 'importmempool',
  category: 'blockchain',
  runs: 'node',
  since: 26,
  description:
    'Offers the transactions of a saved pool (mempool.dat of this node or of Bitcoin Core) to the pool. Times, fee deltas and\nmarks of a file that others made should be left alone.',
  args: [
    str('filepath', 'The file'),
    obj('options?', '', { oneline: 'options', namedMembers: true }, [
      bool('use_current_time', 'Take them as coming now, not as when the file says', { default: 'true' }),
      bool('apply_fee_delta_priority', 'Add the fee deltas of the file to those there are', { default: 'false' }),
      bool('apply_unbroadcast_set', 'Announce again what the file says no peer asked for', { default: 'false' }),
    ]),
  ],
  results: [obj()],
  examples: [{ cli: '/path/to/mempool.dat', rpc: '"/path/to/mempool.dat"' }],
  waits: true,
};
