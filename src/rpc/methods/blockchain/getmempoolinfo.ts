import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { amount, bool, num, obj } from '../../declare/parts.js';
import { Amount } from '../../wire/values.js';

export const spec = declare({
  name: 'getmempoolinfo',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the state of the mempool.',
  args: [],
  results: [
    obj([
      bool('loaded', 'Whether mempool.dat of the last run has been loaded'),
      num('size', 'Transactions'),
      num('bytes', 'Sum of virtual sizes (BIP141)'),
      num('usage', 'Memory use in bytes'),
      amount('total_fee', 'Sum of fees, without deltas', { since: 22 }),
      num('maxmempool', 'Limit of the memory use in bytes'),
      amount('mempoolminfee', 'Lowest feerate accepted, BTC/kB'),
      amount('minrelaytxfee', 'Lowest feerate relayed'),
      amount('incrementalrelayfee', 'Minimum fee rate increment for replacement', { since: 24 }),
      num('unbroadcastcount', 'Number of transactions that no peer has requested yet'),
      bool('permitbaremultisig', 'Whether outputs may be bare multisigs', { since: 30 }),
      num('maxdatacarriersize', 'Limit of the size of OP_RETURN outputs in bytes', { since: 30 }),
      num('limitclustercount?', 'Limit of transactions in a cluster, if there is one', { since: 31 }),
      num('limitclustersize?', 'Limit of virtual bytes in a cluster, if there is one', { since: 31 }),
      bool('optimal', 'Whether the order of every cluster is known to be optimal', { since: 31 }),
      bool('fullrbf?', 'Whether every transaction may be replaced (true). Only with -deprecatedrpc=fullrbf', { since: 24 }),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

export const getmempoolinfo: NodeRun<typeof spec> = async (_, ctx) => {
  await ctx.mempool.settled();
  const stats = ctx.mempool.stats();
  return {
    loaded: ctx.mempool.loaded,
    size: stats.transactions,
    bytes: stats.bytes,
    usage: stats.usageBytes,
    total_fee: new Amount(stats.totalFees),
    maxmempool: stats.maxUsageBytes,
    mempoolminfee: new Amount(stats.minFeeRate),
    minrelaytxfee: new Amount(stats.minRelayFeeRate),
    incrementalrelayfee: new Amount(stats.incrementalFeeRate),
    unbroadcastcount: stats.unbroadcast,
    permitbaremultisig: stats.permitBareMultisig,
    maxdatacarriersize: stats.dataCarrierBytes,
    limitclustercount: Number.isFinite(stats.limitClusterCount) ? stats.limitClusterCount : undefined,
    limitclustersize: Number.isFinite(stats.limitClusterSize) ? stats.limitClusterSize : undefined,
    optimal: ctx.templates.isOptimal(),
    fullrbf: ctx.deprecated.has('fullrbf') ? true : undefined,
  };
};
