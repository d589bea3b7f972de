// Whether the rules of BIP-0054 (consensus cleanup) hold for a block. No network has a date for them: regtest votes
// them in, or has them from the start, with -vbparams=consensuscleanup:START:END.
import type { HeaderContext } from '../../header-context.js';
import type { ChainParams } from '../../params/chain-params.js';
import { CONSENSUS_CLEANUP, NEVER_ACTIVE } from '../../params/deployment.js';
import { isDeploymentActive, type VersionBitsCache } from '../versionbits.js';

/** Whether the child of `prev` (null: genesis) must obey BIP-0054. */
export function cleanupEnforced(prev: HeaderContext | null, params: ChainParams, cache: VersionBitsCache): boolean {
  return isDeploymentActive(CONSENSUS_CLEANUP, prev, params, cache);
}

/**
 * Whether the rules can ever hold on this network: what is then accepted into the mempool must obey them before they
 * do.
 */
export function cleanupPossible(params: Pick<ChainParams, 'deployments'>): boolean {
  const deployment = params.deployments.find(({ name }) => name === CONSENSUS_CLEANUP);
  return deployment !== undefined && deployment.startTime !== NEVER_ACTIVE;
}
