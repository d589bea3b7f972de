import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, hash, hex, num, obj } from '../../declare/parts.js';
import { entryOf } from '../../node/pool.js';
import { hashHex } from '../../render/hex.js';
import { Amount } from '../../wire/values.js';

export const spec = declare({
  name: 'getmempoolcluster',
  since: 31,
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description:
    'Returns the cluster of a transaction: all transactions in the mempool that are connected with it by spending\neach other. They are in the order in which they would be mined, divided into chunks.',
  args: [hash('txid', 'A transaction of the cluster')],
  results: [
    obj([
      num('clusterweight', 'Sigop-adjusted weight of the cluster'),
      num('txcount', 'Number of transactions in the cluster'),
      arr('chunks', 'Chunks, highest fee rate first', [
        obj([
          amount('chunkfee', 'Fees with deltas, in BTC'),
          num('chunkweight', 'Sigop-adjusted weight'),
          arr('txs', 'Transactions in the order in which they would be mined', [hex('A transaction id')]),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: 'txid', rpc: '"txid"' }],
});

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
