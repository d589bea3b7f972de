// From the options of the daemon to the limits of the mempool.
import type { NodeConfig } from '../config/load.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import { cleanupPossible } from '../consensus/rules/cleanup/enforced.js';
import type { MempoolOptions } from '../mempool/options.js';

type ChainLimits = Pick<MempoolOptions, 'limitAncestorCount' | 'limitAncestorSize' | 'limitDescendantCount' | 'limitDescendantSize'>;

const NO_CHAIN_LIMITS: ChainLimits = {
  limitAncestorCount: Number.POSITIVE_INFINITY,
  limitAncestorSize: Number.POSITIVE_INFINITY,
  limitDescendantCount: Number.POSITIVE_INFINITY,
  limitDescendantSize: Number.POSITIVE_INFINITY,
};

const chainLimits = (policy: NodeConfig['policy']): ChainLimits => ({
  limitAncestorCount: policy.limitAncestorCount,
  limitAncestorSize: policy.limitAncestorBytes,
  limitDescendantCount: policy.limitDescendantCount,
  limitDescendantSize: policy.limitDescendantBytes,
});

export function mempoolOptions(
  { policy, mining }: Pick<NodeConfig, 'policy' | 'mining'>,
  params: Pick<ChainParams, 'requireStandard' | 'deployments'>,
): Omit<MempoolOptions, 'segmentBytes'> {
  const requireStandard = policy.requireStandard ?? params.requireStandard;
  const live = mining.templateMode === 'live';
  return {
    policy: {
      ...policy.rules,
      requireStandard,
      minRelayFeeRate: policy.minRelayFeeRate,
      incrementalFeeRate: policy.incrementalFeeRate,
      dustFeeRate: policy.dustFeeRate,
      dataCarrier: policy.dataCarrier,
      dataCarrierBytes: policy.dataCarrierBytes,
      permitBareMultisig: policy.permitBareMultisig,
      bytesPerSigop: policy.bytesPerSigop,
    },
    maxUsageBytes: policy.maxMempoolBytes,
    expirySeconds: policy.expirySeconds,
    ...(policy.rules.clusters ? NO_CHAIN_LIMITS : chainLimits(policy)),
    evictChunks: live || policy.rules.clusters,
    replaceByDiagram: live || policy.rules.clusters,
    limitClusterCount: policy.limitClusterCount,
    limitClusterSize: policy.limitClusterBytes,
    // Templates take what the mempool holds: where blocks may have to obey the rule, nothing else gets in.
    limitLegacySigops: requireStandard || cleanupPossible(params),
  };
}
