import type { NodeRun } from '../../context/node.js';
import { settled } from '../../node/chain-control.js';
import { blockOf } from '../../node/lookup.js';
import type { reconsiderblock as spec } from './reconsiderblock.spec.js';

export const reconsiderblock: NodeRun<typeof spec> = async ({ blockhash }, ctx) => {
  return settled(ctx, await ctx.commands.reconsiderBlock(blockOf(ctx, blockhash)));
};
