import type { NodeRun } from '../../context/node.js';
import { entryOf } from '../../node/pool.js';
import { hashHex } from '../../render/hex.js';
import { Amount } from '../../wire/values.js';
import type { getmempoolcluster as spec } from './getmempoolcluster.spec.js';

export const getmempoolcluster: NodeRun<typeof spec> = async ({ txid }, ctx) => {
  await ctx.mempool.settled();
  const chunks = ctx.mempool.cluster(entryOf(ctx, txid));
  return {
    clusterweight: chunks.reduce((sum, { weight }) => sum + weight, 0),
    txcount: chunks.reduce((sum, { entries }) => sum + entries.length, 0),
    chunks: chunks.map(({ fee, weight, entries }) => ({
      chunkfee: new Amount(fee),
      chunkweight: weight,
      txs: entries.map(({ txid: id }) => hashHex(id)),
    })),
  };
};
