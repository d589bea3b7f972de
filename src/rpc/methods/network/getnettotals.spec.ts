import { bool, num, obj, time } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getnettotals: MethodSpec = {
  name: 'getnettotals',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Bytes received and sent, and the time.',
  args: [],
  results: [
    obj([
      num('totalbytesrecv', 'Bytes received'),
      num('totalbytessent', 'Bytes sent'),
      time('timemillis', 'The time in milliseconds'),
      obj('uploadtarget', '', [
        num('timeframe', 'Seconds of the measuring window'),
        num('target', 'Target in bytes'),
        bool('target_reached', 'Whether it is reached'),
        bool('serve_historical_blocks', 'Whether old blocks are served'),
        num('bytes_left_in_cycle', 'Bytes left'),
        num('time_left_in_cycle', 'Seconds left'),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
