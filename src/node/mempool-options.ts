// Converts the node's options to the mempool's, adding values that depend on the network.
import type { NodeConfig } from '../config/index.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import { cleanupPossible } from '../consensus/rules/cleanup/enforced.js';
import type { MempoolOptions } from '../mempool/options.js';

/** Disables the limits on ancestors and descendants, for a policy that limits clusters instead. */
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
    // Where blocks may have to obey the limit (consensus cleanup), the mempool must enforce it, because templates take
    // transactions from there.
    limitLegacySigops: policy.requireStandard || cleanupPossible(params),
  };
}
