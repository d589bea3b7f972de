// Runs invalidateblock.

import type { NodeRun } from '../../context/node.js';
import { settled } from '../../node/chain-control.js';
import { blockOf } from '../../node/lookup.js';

/** Genesis stays valid whatever is asked, without an error. */
export const invalidateblock: NodeRun = async (ctx, args) => {
  return settled(ctx, await ctx.chain.invalidateBlock(blockOf(ctx, args[0])));
};
