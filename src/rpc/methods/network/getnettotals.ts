import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { bool, num, obj, time } from '../../declare/parts.js';

export const spec = declare({
  name: 'getnettotals',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Returns the number of bytes received and sent, and the time.',
  args: [],
  results: [
    obj([
      num('totalbytesrecv', 'Bytes received'),
      num('totalbytessent', 'Bytes sent'),
      time('timemillis', 'The time in milliseconds'),
      obj('uploadtarget', '', [
        num('timeframe', 'Seconds of the measuring window'),
        num('target', 'Limit of the upload in bytes (-maxuploadtarget)'),
        bool('target_reached', 'Whether the limit is reached'),
        bool('serve_historical_blocks', 'Whether the node serves old blocks'),
        num('bytes_left_in_cycle', 'Bytes available'),
        num('time_left_in_cycle', 'Seconds until the measuring window ends'),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

const SECONDS_PER_DAY = 86_400;

export const getnettotals: NodeRun<typeof spec> = (_, ctx) => {
  const { received, sent } = ctx.network.totals();
  const { target, reached, historicalReached, bytesLeft, secondsLeft } = ctx.network.upload();
  return {
    totalbytesrecv: received,
    totalbytessent: sent,
    timemillis: ctx.clock.nowMs(),
    uploadtarget: {
      timeframe: SECONDS_PER_DAY,
      target,
      target_reached: reached,
      serve_historical_blocks: !historicalReached,
      bytes_left_in_cycle: bytesLeft,
      time_left_in_cycle: secondsLeft,
    },
  };
};
