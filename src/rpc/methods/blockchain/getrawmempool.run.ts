import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { heavyCall } from '../../node/heavy-call.js';
import { entriesObject, idsOf } from '../../node/pool.js';
import type { getrawmempool as spec } from './getrawmempool.spec.js';

export const getrawmempool: NodeRun<typeof spec> = async ({ verbose, mempool_sequence: withSequence }, ctx, call) => {
  await ctx.mempool.settled();
  if (verbose) {
    if (withSequence) fail(RPC_CODE.INVALID_PARAMETER, 'Verbose results cannot contain mempool sequence values.');
    return heavyCall(ctx.heavy, call.signal, async () =>
      entriesObject(ctx, await ctx.mempool.snapshot(call.yieldToUrgent), call.yieldToUrgent),
    );
  }
  const { sequence } = ctx.mempool;
  const txids = await idsOf(await ctx.mempool.snapshot(call.yieldToUrgent), call.yieldToUrgent);
  return withSequence ? { txids, mempool_sequence: sequence } : txids;
};
