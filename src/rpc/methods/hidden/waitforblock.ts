import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hex, num, obj } from '../../declare/parts.js';
import { timeoutOf, untilTip } from '../../node/wait.js';

export const spec = declare({
  name: 'waitforblock',
  category: 'hidden',
  moved: { since: 30, category: 'blockchain' },
  runs: 'node',
  repeatable: true,
  description: 'Waits until the given block is the tip, and returns the tip. After the timeout it returns the tip of that\nmoment.',
  args: [
    hex('blockhash', 'The block to wait for.', { as: 'hash hex' }),
    num('timeout', 'Milliseconds to wait. 0 means no timeout', { default: '0' }),
  ],
  results: [obj([hex('hash', 'The block hash'), num('height', 'Its height')])],
  examples: [
    {
      cli: '"0000000000079f8ef3d2c688c244eb7a4570b24c9ed7b4a8c619eb02596f8862" 1000',
      rpc: '"0000000000079f8ef3d2c688c244eb7a4570b24c9ed7b4a8c619eb02596f8862", 1000',
    },
  ],
  waits: true,
});

export const waitforblock: NodeRun<typeof spec> = ({ blockhash: wanted, timeout }, ctx, call) => {
  return untilTip(ctx, call, timeoutOf(ctx, timeout), (tip) => tip.hashHex === wanted);
};
