import { asHash } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { entryObject, entryOf, idName } from '../../node/pool.js';
import type { getmempoolentry as spec } from './getmempoolentry.spec.js';

export const getmempoolentry: NodeRun<typeof spec> = async (params, ctx) => {
  const txid = asHash(params.txid, idName(ctx));
  await ctx.mempool.settled();
  return entryObject(ctx, entryOf(ctx, txid));
};
