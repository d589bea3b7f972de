// Runs invalidateblock.

import { settled } from '../../node/chain-control.js';
import type { NodeRun } from '../../node/context.js';
import { blockOf } from '../../node/lookup.js';

/** Genesis stays valid whatever is asked, without an error. */
export const invalidateblock: NodeRun = async (ctx, args) => {
  return settled(ctx, await ctx.chain.invalidateBlock(blockOf(ctx, args[0])));
};
