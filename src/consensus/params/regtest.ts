// The regression test network, local to its user. Numbers: Bitcoin Core, master of August 2026; heights of buried rules:
// Bitcoin Core 0.21. networks.ts applies the changes by options and -compat.

import { fromHex, hashFromHex } from '../bytes/hex.js';
import type { ChainParams } from './chain-params.js';
import { ALWAYS_ACTIVE, CONSENSUS_CLEANUP, NEVER_ACTIVE, NO_TIMEOUT } from './deployment.js';
import { buildGenesis, SATOSHI_KEY, SATOSHI_MERKLE_ROOT, SATOSHI_MESSAGE } from './genesis.js';
import { CLASSIC_TIMING, TEST_BASE58 } from './shared.js';

const GENESIS_HASH = hashFromHex('0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206');

/** Returns a new record of regtest's parameters. */
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
    genesisHash: GENESIS_HASH,
    powLimit: (1n << 255n) - 1n,
    powTargetTimespan: 24 * 60 * 60,
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
      // gbtForce is false: a miner that does not know the rule makes invalid coinbases, so the client must declare
      // support.
      { name: CONSENSUS_CLEANUP, bit: 4, startTime: NEVER_ACTIVE, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: false },
    ],
    ruleChangeThreshold: 108,
    minerConfirmationWindow: 144,
    unknownVotesFrom: 0,
    signetChallenge: null,
    minimumChainWork: 0n,
    assumeValid: null,
    activity: { time: 0, transactions: 0, rate: 0.001 },
    headersSync: { period: 275, buffer: 7_017 },
    assumedBlocksGb: 0,
    assumedChainStateGb: 0,
    assumedCoins: [
      {
        height: 110,
        blockHash: '135eec25a6fb277884e5824e7aa7d052c4868161c99a5122170b5266f86c273d',
        coinsHash: '86e9a1205b418b16dde3a18a78c730e30137e28466bda5dbf6b33ab8fc05447c',
        chainTxCount: 111,
      },
      {
        height: 200,
        blockHash: '385901ccbd69dff6bbd00065d01fb8a9e464dede7cfe0372443884f9b1dcf6b9',
        coinsHash: '17dcc016d188d16068907cdeb38b75691a118d43053b8cd6a25969419381d13a',
        chainTxCount: 201,
      },
      {
        height: 299,
        blockHash: '0c552ced4721c249a389eb9b08cb8da261cd46f0e7b5f9d064d48f3113406853',
        coinsHash: '106b2c56233e378a824cf0d5ff2be42ed32c72f1605c9be288d00942908a40ac',
        chainTxCount: 334,
      },
    ],
    checkpoints: [[0, GENESIS_HASH]],
    base58: TEST_BASE58,
    bech32Hrp: 'bcrt',
    pruneAfterHeight: 1_000,
    isTestChain: true,
    mineOnDemand: true,
  };
}
