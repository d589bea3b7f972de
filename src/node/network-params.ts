// Returns the network's parameters for the options, and logs what the node trusts.
import { ConfigError, type NodeConfig } from '../config/index.js';
import { fromHex, isHex } from '../consensus/bytes/hex.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import { chainParams } from '../consensus/params/networks.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Logger } from '../log/logger.js';

/** Options that change the parameters. */
export type NetworkChoice = Pick<
  NodeConfig,
  'chain' | 'signetChallengeHex' | 'signetSeedNodes' | 'activationHeights' | 'vbparams' | 'regtest'
>;

/**
 * Returns the parameters.
 * @throws ConfigError for a signet challenge that is not hex
 */
export function networkParams(config: NetworkChoice, native: Crypto): ChainParams {
  const challenge = config.chain === 'signet' ? config.signetChallengeHex : undefined;
  if (challenge !== undefined && !isHex(challenge)) throw new ConfigError(`-signetchallenge must be hex, not '${challenge}'.`);
  return chainParams(
    config.chain,
    {
      ...(challenge === undefined ? {} : { signetChallenge: fromHex(challenge) }),
      ...(config.signetSeedNodes.length === 0 ? {} : { signetSeedNodes: config.signetSeedNodes }),
      activationHeights: config.activationHeights,
      regtest: config.regtest,
      ...(config.vbparams.length === 0 ? {} : { vbparams: config.vbparams }),
    },
    native,
  );
}

/** Logs what the node trusts, with Core's lines. */
export function logTrust({ assumeValidHex, minimumChainWorkHex }: NodeConfig, params: ChainParams, log: Logger): void {
  const assumed = assumeValidHex ?? params.assumeValid;
  if (assumed === null || /^0*$/.test(assumed)) log.info('Validating signatures for all blocks.');
  else log.info(`Assuming ancestors of block ${assumed} have valid signatures.`);
  const work = minimumChainWorkHex ?? params.minimumChainWork.toString(16).padStart(64, '0');
  log.info(`Setting nMinimumChainWork=${work}`);
  if (BigInt(`0x${work}`) < params.minimumChainWork) {
    log.warn(`Warning: nMinimumChainWork set below default value of ${params.minimumChainWork.toString(16).padStart(64, '0')}`);
  }
}
