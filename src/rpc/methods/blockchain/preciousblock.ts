import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hash, none } from '../../declare/parts.js';
import { settled } from '../../node/chain-control.js';
import { blockOf } from '../../node/lookup.js';

export const spec = declare({
  name: 'preciousblock',
  category: 'blockchain',
  runs: 'node',
  description:
    'Treats a block as if it had been received before other blocks with the same work.\nA later call can override an earlier one. The effect is lost at a restart.',
  args: [hash('blockhash', 'The block to prefer')],
  results: [none()],
  examples: [{ cli: '"blockhash"', rpc: '"blockhash"' }],
});

export const preciousblock: NodeRun<typeof spec> = async ({ blockhash }, ctx) => {
  return settled(ctx, await ctx.commands.preciousBlock(blockOf(ctx, blockhash)));
};
