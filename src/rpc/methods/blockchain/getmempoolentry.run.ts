import { asHash } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { writeEntry } from '../../node/mempool-text.js';
import { entryOf, idName } from '../../node/pool.js';
import { RawBytes } from '../../wire/values.js';
import type { getmempoolentry as spec } from './getmempoolentry.spec.js';

export const getmempoolentry: NodeRun<typeof spec> = async (params, ctx) => {
  const txid = asHash(params.txid, idName(ctx));
  await ctx.mempool.settled();
  return new RawBytes(writeEntry(ctx.mempool.tables, entryOf(ctx, txid).row, ctx.mempoolTexts.style).parts());
};
