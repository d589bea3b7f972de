import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hash, none } from '../../declare/parts.js';
import { settled } from '../../node/chain-control.js';
import { blockOf } from '../../node/lookup.js';

export const spec = declare({
  name: 'invalidateblock',
  category: 'hidden',
  runs: 'node',
  description: 'Marks a block as invalid permanently, as if it violated a consensus rule.',
  args: [hash('blockhash', 'The block')],
  results: [none()],
  examples: [{ cli: '"blockhash"', rpc: '"blockhash"' }],
  waits: true,
});

/** The genesis block always stays valid; trying to invalidate it is no error. */
export const invalidateblock: NodeRun<typeof spec> = async ({ blockhash }, ctx) => {
  return settled(ctx, await ctx.commands.invalidateBlock(blockOf(ctx, blockhash)));
};
