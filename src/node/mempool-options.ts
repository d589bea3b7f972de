// From the options of the daemon to the limits of the mempool. Callers: node/start.
import type { NodeConfig } from '../config/load.js';
import type { MempoolOptions } from '../mempool/options.js';

/** @param standardByDefault whether the network asks for standard transactions unless -acceptnonstdtxn says otherwise */
export function mempoolOptions(
  { policy, mining }: Pick<NodeConfig, 'policy' | 'mining'>,
  standardByDefault: boolean,
): Omit<MempoolOptions, 'segmentBytes'> {
  const live = mining.templateMode === 'live';
  return {
    policy: {
      requireStandard: policy.requireStandard ?? standardByDefault,
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
    limitAncestorCount: policy.limitAncestorCount,
    limitAncestorSize: policy.limitAncestorBytes,
    limitDescendantCount: policy.limitDescendantCount,
    limitDescendantSize: policy.limitDescendantBytes,
    evictChunks: live,
    replaceByDiagram: live,
    limitClusterCount: policy.limitClusterCount,
    limitClusterSize: policy.limitClusterBytes,
  };
}
