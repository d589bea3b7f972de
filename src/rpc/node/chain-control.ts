// What invalidateblock, preciousblock, reconsiderblock and verifychain share: the operator's hand on the chain.
import { rejectText, type Verdict } from '../../consensus/state.js';
import type { NodeContext } from '../context/node.js';
import { fail, RPC_CODE } from '../errors.js';

/** Ends a change of the chain: the pool has followed, and what went wrong is -20. */
export async function settled(ctx: NodeContext, verdict: Verdict): Promise<null> {
  await ctx.mempool.settled();
  return verdict ? fail(RPC_CODE.DATABASE_ERROR, rejectText(verdict)) : null;
}
