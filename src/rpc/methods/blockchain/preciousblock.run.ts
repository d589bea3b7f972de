import type { NodeRun } from '../../context/node.js';
import { settled } from '../../node/chain-control.js';
import { blockOf } from '../../node/lookup.js';
import type { preciousblock as spec } from './preciousblock.spec.js';

export const preciousblock: NodeRun<typeof spec> = async ({ args }, ctx) => {
  return settled(ctx, await ctx.commands.preciousBlock(blockOf(ctx, args[0])));
};
