// From the options of the daemon to the limits of the mempool: what depends on the network is added.
import type { NodeConfig } from '../config/load.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import { cleanupPossible } from '../consensus/rules/cleanup/enforced.js';
import type { MempoolOptions } from '../mempool/options.js';

/** Where clusters are limited, ancestors and descendants are not. */
const NO_CHAIN_LIMITS = {
  limitAncestorCount: Number.POSITIVE_INFINITY,
  limitAncestorSize: Number.POSITIVE_INFINITY,
  limitDescendantCount: Number.POSITIVE_INFINITY,
  limitDescendantSize: Number.POSITIVE_INFINITY,
};

export function mempoolOptions(
  { policy, mempool }: Pick<NodeConfig, 'policy' | 'mempool'>,
  params: Pick<ChainParams, 'deployments'>,
): Omit<MempoolOptions, 'segmentBytes'> {
  return {
    ...mempool,
    ...(policy.clusters && NO_CHAIN_LIMITS),
    policy,
    // Templates take what the mempool holds: where blocks may have to obey the rule, nothing else gets in.
    limitLegacySigops: policy.requireStandard || cleanupPossible(params),
  };
}
