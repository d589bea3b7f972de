import type { NodeRun } from '../../context/node.js';
import { Amount } from '../../wire/values.js';
import type { getmempoolinfo as spec } from './getmempoolinfo.spec.js';

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
