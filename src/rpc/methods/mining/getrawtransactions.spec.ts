// Declares getrawtransactions.
import type { MethodSpec } from '../../declare/types.js';

export const getrawtransactions: MethodSpec = {
  name: 'getrawtransactions',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Gives transactions by wtxid, as job declaration names them (not in Bitcoin Core): from the mempool, from pinned jobs, from those kept for block\nreconstruction, and from the last three blocks. With a job, what was found is held, so that an eviction does not make the job unbuildable:\n64 jobs and 64 MB in all, for the time given, and until two blocks have been found.',
  args: [
    {
      name: 'wtxids',
      type: 'arr',
      help: 'At most 1000, with at most 4,000,000 bytes of transactions',
      inner: [{ name: 'wtxid', type: 'hex', optional: true, help: '' }],
    },
    {
      name: 'pin',
      type: 'obj',
      optional: true,
      help: '',
      inner: [
        { name: 'job', type: 'str', help: 'Name of the job, 64 characters at most; more calls may add to it' },
        { name: 'seconds', type: 'num', default: '600', help: 'How long, at most 3600' },
      ],
    },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        {
          type: 'arr',
          key: 'transactions',
          help: 'In the order asked for',
          inner: [{ type: 'hex', help: 'The serialised transaction, null when it is not here' }],
        },
        { type: 'num', key: 'pinned', optional: true, help: 'Transactions that the job holds now' },
      ],
    },
  ],
  examples: [{ cli: '"[\\"mywtxid\\",...]"', rpc: '["mywtxid",...]' }],
};
