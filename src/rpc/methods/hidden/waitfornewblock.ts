import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hex, num, obj } from '../../declare/parts.js';
import { timeoutOf, untilTip } from '../../node/wait.js';

export const spec = declare({
  name: 'waitfornewblock',
  category: 'hidden',
  moved: { since: 30, category: 'blockchain' },
  runs: 'node',
  repeatable: true,
  description: 'Waits for a new tip and returns it. After the timeout it returns the tip of that moment.',
  args: [
    num('timeout', 'Milliseconds to wait. 0 means no timeout', { default: '0' }),
    hex(
      'current_tip?',
      'The tip that the caller knows (default: the current tip). If the tip is already a different one, the call returns at once',
      { as: 'hash hex', since: 30 },
    ),
  ],
  results: [obj([hex('hash', 'The block hash'), num('height', 'Its height')])],
  examples: [{ cli: '1000', rpc: '1000' }],
  waits: true,
});

export const waitfornewblock: NodeRun<typeof spec> = (params, ctx, call) => {
  const timeoutMs = timeoutOf(ctx, params.timeout);
  const before = params.current_tip ?? ctx.chain.tip.hashHex;
  return untilTip(ctx, call, timeoutMs, (tip) => tip.hashHex !== before);
};
