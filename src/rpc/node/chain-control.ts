// invalidateblock, reconsiderblock, preciousblock, verifychain: the operator's hand on the chain.
import { rejectText, type Verdict } from '../../consensus/state.js';
import { asInt } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from './context.js';
import { blockOf } from './lookup.js';

type NodeRun = Run<NodeContext>;

const DEFAULT_CHECK_LEVEL = 3;
const DEFAULT_CHECK_BLOCKS = 6;

/** Ends a change of the chain: the pool has followed, and what went wrong is -20. */
async function settled(ctx: NodeContext, verdict: Verdict): Promise<null> {
  await ctx.mempool.settled();
  return verdict ? fail(RPC_CODE.DATABASE_ERROR, rejectText(verdict)) : null;
}

/** Genesis stays valid whatever is asked, without an error. */
export const invalidateblock: NodeRun = async (ctx, args) => {
  return settled(ctx, await ctx.chain.invalidateBlock(blockOf(ctx, args[0])));
};

export const reconsiderblock: NodeRun = async (ctx, args) => {
  return settled(ctx, await ctx.chain.reconsiderBlock(blockOf(ctx, args[0])));
};

export const preciousblock: NodeRun = async (ctx, args) => {
  return settled(ctx, await ctx.chain.preciousBlock(blockOf(ctx, args[0])));
};

export const verifychain: NodeRun = (ctx, args) => {
  const level = (args[0] ?? null) === null ? DEFAULT_CHECK_LEVEL : asInt(args[0]);
  const blocks = (args[1] ?? null) === null ? DEFAULT_CHECK_BLOCKS : asInt(args[1]);
  return ctx.chain.verifyChain(level, Math.max(0, blocks));
};
