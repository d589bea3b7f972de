import { asHash } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { entryObject, entryOf, idName } from '../../node/pool.js';

export const getmempoolentry: NodeRun = async (ctx, args) => {
  const txid = asHash(args[0], idName(ctx));
  await ctx.mempool.settled();
  return entryObject(ctx, entryOf(ctx, txid));
};
