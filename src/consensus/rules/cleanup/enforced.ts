// Decides whether BIP-0054 (consensus cleanup) is active for a block. No network has an activation date for it. On
// regtest, -vbparams=consensuscleanup:START:END activates it by signals or from the start.
import type { HeaderContext } from '../../header-context.js';
import type { ChainParams } from '../../params/chain-params.js';
import { CONSENSUS_CLEANUP, NEVER_ACTIVE } from '../../params/deployment.js';
import { isDeploymentActive, type VersionBitsCache } from '../versionbits.js';

/** Returns whether the child of `prev` (null: genesis) must obey BIP-0054. */
export function cleanupEnforced(prev: HeaderContext | null, params: ChainParams, cache: VersionBitsCache): boolean {
  return isDeploymentActive(CONSENSUS_CLEANUP, prev, params, cache);
}

/** Returns whether BIP-0054 can become active on this network. If so, the mempool applies its rules even before. */
export function cleanupPossible(params: Pick<ChainParams, 'deployments'>): boolean {
  const deployment = params.deployments.find(({ name }) => name === CONSENSUS_CLEANUP);
  return deployment !== undefined && deployment.startTime !== NEVER_ACTIVE;
}
