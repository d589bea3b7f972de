import { declare } from '../../declare/parameters.js';
import { arr, hex, num, obj, str } from '../../declare/parts.js';

export const getrawtransactions = declare({
  name: 'getrawtransactions',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Returns transactions by wtxid, as job declarators name them (not in Bitcoin Core).\nThe call finds them in the mempool, in pinned jobs, among those stored for block reconstruction, and in the\nlast three blocks.\nWith a job, the node keeps the found transactions, so that the job stays buildable after an eviction. It keeps\nat most 64 jobs and 64 MB in all, for the given time, and until two more blocks have been found.',
  args: [
    arr('wtxids', 'At most 1000, with at most 4,000,000 bytes of transactions', [hex('wtxid?', '')]),
    obj('pin?', '', { as: 'json' }, [
      str('job', 'Name of the job, at most 64 characters. Further calls may add transactions to it'),
      num('seconds', 'Seconds to keep the job, at most 3600', { default: '600' }),
    ]),
  ],
  results: [
    obj([
      arr('transactions', 'In the order of the request', [hex('The transaction as hex, or null if the node does not have it')]),
      num('pinned?', 'Number of transactions of the job'),
    ]),
  ],
  examples: [{ cli: '"[\\"mywtxid\\",...]"', rpc: '["mywtxid",...]' }],
});
