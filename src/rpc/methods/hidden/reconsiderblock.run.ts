import type { NodeRun } from '../../context/node.js';
import { settled } from '../../node/chain-control.js';
import { blockOf } from '../../node/lookup.js';

export const reconsiderblock: NodeRun = async (ctx, args) => {
  return settled(ctx, await ctx.chain.reconsiderBlock(blockOf(ctx, args[0])));
};
