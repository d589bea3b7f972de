import { follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { savemempool as spec } from './savemempool.spec.js';

export const savemempool: NodeRun<typeof spec> = async (_, ctx) => {
  if (!ctx.mempool.loaded) fail(RPC_CODE.MISC_ERROR, 'The mempool was not loaded yet');
  await ctx.mempool.settled();
  const filename = await ctx.savePool().catch(() => fail(RPC_CODE.MISC_ERROR, 'Unable to dump mempool to disk'));
  return follows(ctx.compat, 23) ? { filename } : null;
};
