import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hash, none } from '../../declare/parts.js';
import { settled } from '../../node/chain-control.js';
import { blockOf } from '../../node/lookup.js';

export const spec = declare({
  name: 'reconsiderblock',
  category: 'hidden',
  runs: 'node',
  description:
    'Removes the invalid mark from a block, its ancestors and its descendants, and checks them again.\nThis undoes invalidateblock.',
  args: [hash('blockhash', 'The block to reconsider')],
  results: [none()],
  examples: [{ cli: '"blockhash"', rpc: '"blockhash"' }],
  waits: true,
});

export const reconsiderblock: NodeRun<typeof spec> = async ({ blockhash }, ctx) => {
  return settled(ctx, await ctx.commands.reconsiderBlock(blockOf(ctx, blockhash)));
};
