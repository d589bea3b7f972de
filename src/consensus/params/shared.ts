// Values that several networks share.

import type { ChainParams } from './chain-params.js';

/** Ten minutes, two weeks, four years: every network but regtest's halving uses these. */
export const CLASSIC_TIMING = {
  powTargetSpacing: 600,
  powTargetTimespan: 14 * 24 * 60 * 60,
  halvingInterval: 210_000,
} as const;

/** Address and key prefixes of all test networks. */
export const TEST_BASE58: ChainParams['base58'] = { p2pkh: 111, p2sh: 196, wif: 239, xpub: 0x043587cf, xprv: 0x04358394 };

/** 2^224 - 1 as a target: the easiest of main and the testnets. */
export const CLASSIC_POW_LIMIT = (1n << 224n) - 1n;
