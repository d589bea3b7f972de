import type { NodeRun } from '../../context/node.js';
import { settled } from '../../node/chain-control.js';
import { blockOf } from '../../node/lookup.js';
import type { preciousblock as spec } from './preciousblock.spec.js';

export const preciousblock: NodeRun<typeof spec> = async ({ blockhash }, ctx) => {
  return settled(ctx, await ctx.commands.preciousBlock(blockOf(ctx, blockhash)));
};
