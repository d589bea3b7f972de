// Runs preciousblock.

import { settled } from '../../node/chain-control.js';
import type { NodeRun } from '../../node/context.js';
import { blockOf } from '../../node/lookup.js';

export const preciousblock: NodeRun = async (ctx, args) => {
  return settled(ctx, await ctx.chain.preciousBlock(blockOf(ctx, args[0])));
};
