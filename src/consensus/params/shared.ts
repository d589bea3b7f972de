// Values that several networks share.

import type { ChainParams } from './chain-params.js';
import { ALWAYS_ACTIVE, NEVER_ACTIVE, NO_TIMEOUT } from './deployment.js';

/**
 * Block spacing of ten minutes, retarget period of two weeks, halving after four years. Regtest has other retarget and
 * halving periods.
 */
export const CLASSIC_TIMING = {
  powTargetSpacing: 600,
  powTargetTimespan: 14 * 24 * 60 * 60,
  halvingInterval: 210_000,
} as const;

/** Address and key prefixes of all test networks. */
export const TEST_BASE58: ChainParams['base58'] = { p2pkh: 111, p2sh: 196, wif: 239, xpub: 0x043587cf, xprv: 0x04358394 };

/** Highest target of main and the testnets: 2^224 - 1. */
export const CLASSIC_POW_LIMIT = (1n << 224n) - 1n;

/** Values of test networks that had all rules up to taproot from their genesis block on. */
export const YOUNG_NETWORK = {
  bip34Height: 1,
  bip34Hash: null,
  bip65Height: 1,
  bip66Height: 1,
  csvHeight: 1,
  segwitHeight: 1,
  deployments: [
    { name: 'testdummy', bit: 28, startTime: NEVER_ACTIVE, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: true },
    { name: 'taproot', bit: 2, startTime: ALWAYS_ACTIVE, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: true },
  ],
  minerConfirmationWindow: 2016,
  unknownVotesFrom: 0,
  checkpoints: [],
  base58: TEST_BASE58,
  bech32Hrp: 'tb',
  pruneAfterHeight: 1_000,
  isTestChain: true,
  mineOnDemand: false,
} as const satisfies Partial<ChainParams>;
