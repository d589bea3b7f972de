// Decides whether BIP-0054 (consensus cleanup) is active for a block. No network has a date for it. Regtest activates
// it by votes or from the start, with -vbparams=consensuscleanup:START:END.
import type { HeaderContext } from '../../header-context.js';
import type { ChainParams } from '../../params/chain-params.js';
import { CONSENSUS_CLEANUP, NEVER_ACTIVE } from '../../params/deployment.js';
import { isDeploymentActive, type VersionBitsCache } from '../versionbits.js';

/** Returns whether the child of `prev` (null: genesis) must obey BIP-0054. */
export function cleanupEnforced(prev: HeaderContext | null, params: ChainParams, cache: VersionBitsCache): boolean {
  return isDeploymentActive(CONSENSUS_CLEANUP, prev, params, cache);
}

/** Returns whether the rules can become active on this network. Then the mempool obeys them already before. */
export function cleanupPossible(params: Pick<ChainParams, 'deployments'>): boolean {
  const deployment = params.deployments.find(({ name }) => name === CONSENSUS_CLEANUP);
  return deployment !== undefined && deployment.startTime !== NEVER_ACTIVE;
}
