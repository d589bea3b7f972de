// The fourth test network (BIP-0094). Numbers: Bitcoin Core, master of August 2026.

import { fromHex, hashFromHex } from '../bytes/hex.js';
import type { ChainParams } from './chain-params.js';
import { buildGenesis } from './genesis.js';
import { TESTNET4_FIXED_SEEDS } from './seeds/testnet4.js';
import { CLASSIC_POW_LIMIT, CLASSIC_TIMING, YOUNG_NETWORK } from './shared.js';

/** Returns a new record of testnet4's parameters. */
export function testnet4Params(): ChainParams {
  return {
    ...CLASSIC_TIMING,
    ...YOUNG_NETWORK,
    name: 'testnet4',
    datadirSub: 'testnet4',
    magic: fromHex('1c163f28'),
    p2pPort: 48333,
    rpcPort: 48332,
    dnsSeeds: ['seed.testnet4.bitcoin.sprovoost.nl.', 'seed.testnet4.wiz.biz.'],
    fixedSeeds: TESTNET4_FIXED_SEEDS,
    genesis: buildGenesis({
      time: 1714777860,
      nonce: 393743547,
      bits: 0x1d00ffff,
      message: '03/May/2024 000000000000000000001ebd58c244970b3aa9d783bb001011fbe8ea8e98e00e',
      key: new Uint8Array(33),
      merkleRootHex: '7aa0a7ae1e223414cb807e40cd57e667b718e42aaf9306db9102fe28912b7b4e',
    }),
    genesisHash: hashFromHex('00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043'),
    powLimit: CLASSIC_POW_LIMIT,
    allowMinDifficultyBlocks: true,
    noRetargeting: false,
    enforceBip94: true,
    scriptFlagExceptions: new Map(),
    ruleChangeThreshold: 1512,
    signetChallenge: null,
    minimumChainWork: 0x9a0fe15d0177d086304n,
    // Block at height 123,613.
    assumeValid: '0000000002368b1e4ee27e2e85676ae6f9f9e69579b29093e9a82c170bf7cf8a',
    activity: { time: 1_772_013_387, transactions: 14_191_421, rate: 0.01848579579528412 },
    headersSync: { period: 606, buffer: 16_092 },
    assumedBlocksGb: 31,
    assumedChainStateGb: 2,
    assumedCoins: [
      {
        height: 90_000,
        blockHash: '0000000002ebe8bcda020e0dd6ccfbdfac531d2f6a81457191b99fc2df2dbe3b',
        coinsHash: '784fb5e98241de66fdd429f4392155c9e7db5c017148e66e8fdbc95746f8b9b5',
        chainTxCount: 11_347_043,
      },
      {
        height: 120_000,
        blockHash: '000000000bd2317e51b3c5794981c35ba894ce27d3e772d5c39ecd9cbce01dc8',
        coinsHash: '10b05d05ad468d0971162e1b222a4aa66caca89da2bb2a93f8f37fb29c4794b0',
        chainTxCount: 14_141_057,
      },
    ],
  };
}
