import { declare } from '../../declare/parameters.js';
import { bool, obj, str } from '../../declare/parts.js';

export const importmempool = declare({
  name: 'importmempool',
  category: 'blockchain',
  runs: 'node',
  since: 26,
  description:
    'Imports the transactions of a mempool.dat file of this node or of Bitcoin Core into the mempool. Do not import\ntimes, fee deltas and the set of unbroadcast transactions from a file that you do not trust.',
  args: [
    str('filepath', 'The file'),
    obj('options?', '', { oneline: 'options', namedMembers: true }, [
      bool('use_current_time', 'Use the current time instead of the times in the file', { default: 'true' }),
      bool('apply_fee_delta_priority', 'Add the fee deltas of the file to the existing ones', { default: 'false' }),
      bool('apply_unbroadcast_set', 'Announce again the transactions that no peer had requested according to the file', {
        default: 'false',
      }),
    ]),
  ],
  results: [obj()],
  examples: [{ cli: '/path/to/mempool.dat', rpc: '"/path/to/mempool.dat"' }],
  waits: true,
});
