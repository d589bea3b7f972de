import type { NodeRun } from '../../context/node.js';
import { settled } from '../../node/chain-control.js';
import { blockOf } from '../../node/lookup.js';
import type { invalidateblock as spec } from './invalidateblock.spec.js';

/** The genesis block always stays valid; trying to invalidate it is no error. */
export const invalidateblock: NodeRun<typeof spec> = async ({ blockhash }, ctx) => {
  return settled(ctx, await ctx.commands.invalidateBlock(blockOf(ctx, blockhash)));
};
