import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { getrawmempool as spec } from './getrawmempool.spec.js';

export const getrawmempool: NodeRun<typeof spec> = async ({ verbose, mempool_sequence: withSequence }, ctx) => {
  await ctx.mempool.settled();
  if (verbose && withSequence) fail(RPC_CODE.INVALID_PARAMETER, 'Verbose results cannot contain mempool sequence values.');
  return ctx.mempoolTexts.whole(verbose ? 'entries' : withSequence ? 'sequence' : 'ids');
};
