// Declares getnettotals.
import type { MethodSpec } from '../../declare/types.js';

export const getnettotals: MethodSpec = {
  name: 'getnettotals',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Bytes received and sent, and the time.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'num', key: 'totalbytesrecv', help: 'Bytes received' },
        { type: 'num', key: 'totalbytessent', help: 'Bytes sent' },
        { type: 'num-time', key: 'timemillis', help: 'The time in milliseconds' },
        {
          type: 'obj',
          key: 'uploadtarget',
          help: '',
          inner: [
            { type: 'num', key: 'timeframe', help: 'Seconds of the measuring window' },
            { type: 'num', key: 'target', help: 'Target in bytes' },
            { type: 'bool', key: 'target_reached', help: 'Whether it is reached' },
            { type: 'bool', key: 'serve_historical_blocks', help: 'Whether old blocks are served' },
            { type: 'num', key: 'bytes_left_in_cycle', help: 'Bytes left' },
            { type: 'num', key: 'time_left_in_cycle', help: 'Seconds left' },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
