// Shared by invalidateblock, preciousblock, and reconsiderblock.
import { rejectText, type Verdict } from '../../consensus/state.js';
import type { NodeContext } from '../context/node.js';
import { fail, RPC_CODE } from '../errors.js';

/**
 * Finishes a change of the chain: waits until the mempool has followed.
 * @throws RpcError with -20 if the change failed
 */
export async function settled(ctx: NodeContext, verdict: Verdict): Promise<null> {
  await ctx.mempool.settled();
  return verdict ? fail(RPC_CODE.DATABASE_ERROR, rejectText(verdict)) : null;
}
