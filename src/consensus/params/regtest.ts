// The regression test network, everyone's own. Numbers: Bitcoin Core 0.21. -segwitheight and -vbparams are put in by
// chain-params.ts.

import { fromHex, hashFromHex } from '../bytes/hex.js';
import type { ChainParams } from './chain-params.js';
import { ALWAYS_ACTIVE, CONSENSUS_CLEANUP, NEVER_ACTIVE, NO_TIMEOUT } from './deployment.js';
import { buildGenesis, SATOSHI_KEY, SATOSHI_MERKLE_ROOT, SATOSHI_MESSAGE } from './genesis.js';
import { CLASSIC_TIMING, TEST_BASE58 } from './shared.js';

const GENESIS_HASH = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';

/** A fresh record of regtest's parameters. */
export function regtestParams(): ChainParams {
  return {
    ...CLASSIC_TIMING,
    name: 'regtest',
    datadirSub: 'regtest',
    magic: fromHex('fabfb5da'),
    p2pPort: 18444,
    rpcPort: 18443,
    dnsSeeds: [],
    fixedSeeds: '',
    genesis: buildGenesis({
      time: 1296688602,
      nonce: 2,
      bits: 0x207fffff,
      message: SATOSHI_MESSAGE,
      key: SATOSHI_KEY,
      merkleRootHex: SATOSHI_MERKLE_ROOT,
    }),
    genesisHash: hashFromHex(GENESIS_HASH),
    powLimit: (1n << 255n) - 1n,
    allowMinDifficultyBlocks: true,
    noRetargeting: true,
    enforceBip94: false,
    halvingInterval: 150,
    bip34Height: 500,
    bip34Hash: null,
    bip65Height: 1351,
    bip66Height: 1251,
    csvHeight: 432,
    segwitHeight: 0,
    scriptFlagExceptions: new Map(),
    deployments: [
      { name: 'testdummy', bit: 28, startTime: 0n, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: true },
      { name: 'taproot', bit: 2, startTime: ALWAYS_ACTIVE, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: true },
      // A miner that does not know the rule makes invalid coinbases: it must say that it does.
      { name: CONSENSUS_CLEANUP, bit: 4, startTime: NEVER_ACTIVE, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: false },
    ],
    ruleChangeThreshold: 108,
    minerConfirmationWindow: 144,
    unknownVotesFrom: 0,
    signetChallenge: null,
    minimumChainWork: 0n,
    assumeValid: null,
    checkpoints: [[0, GENESIS_HASH]],
    base58: TEST_BASE58,
    bech32Hrp: 'bcrt',
    requireStandard: true,
    pruneAfterHeight: 1_000,
    isTestChain: true,
    mineOnDemand: true,
  };
}
