import { arr, hex, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getrawtransactions: MethodSpec = {
  name: 'getrawtransactions',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Gives transactions by wtxid, as job declaration names them (not in Bitcoin Core): from the mempool, from pinned jobs, from those kept for block\nreconstruction, and from the last three blocks. With a job, what was found is held, so that an eviction does not make the job unbuildable:\n64 jobs and 64 MB in all, for the time given, and until two blocks have been found.',
  args: [
    arr('wtxids', 'At most 1000, with at most 4,000,000 bytes of transactions', [hex('wtxid?', '')]),
    obj('pin?', '', [
      str('job', 'Name of the job, 64 characters at most; more calls may add to it'),
      num('seconds', 'How long, at most 3600', { default: '600' }),
    ]),
  ],
  results: [
    obj([
      arr('transactions', 'In the order asked for', [hex('The serialised transaction, null when it is not here')]),
      num('pinned?', 'Transactions that the job holds now'),
    ]),
  ],
  examples: [{ cli: '"[\\"mywtxid\\",...]"', rpc: '["mywtxid",...]' }],
};
