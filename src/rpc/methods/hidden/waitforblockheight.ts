import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hex, num, obj } from '../../declare/parts.js';
import { timeoutOf, untilTip } from '../../node/wait.js';

export const spec = declare({
  name: 'waitforblockheight',
  category: 'hidden',
  moved: { since: 30, category: 'blockchain' },
  runs: 'node',
  repeatable: true,
  description:
    'Waits until the tip has at least the given height, and returns the tip. After the timeout it returns the tip\nof that moment.',
  args: [num('height', 'The height to wait for.'), num('timeout', 'Milliseconds to wait. 0 means no timeout', { default: '0' })],
  results: [obj([hex('hash', 'The block hash'), num('height', 'Its height')])],
  examples: [{ cli: '100 1000', rpc: '100, 1000' }],
  waits: true,
});

export const waitforblockheight: NodeRun<typeof spec> = ({ height, timeout }, ctx, call) => {
  return untilTip(ctx, call, timeoutOf(ctx, timeout), (tip) => tip.height >= height);
};
