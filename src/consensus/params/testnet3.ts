// The third test network. Numbers: Bitcoin Core, master of August 2026; checkpoint: Bitcoin Core 0.21.

import { fromHex, hashFromHex } from '../bytes/hex.js';
import { SCRIPT_VERIFY_NONE } from '../script/flags.js';
import type { ChainParams } from './chain-params.js';
import { NEVER_ACTIVE, NO_TIMEOUT } from './deployment.js';
import { buildGenesis, SATOSHI_KEY, SATOSHI_MERKLE_ROOT, SATOSHI_MESSAGE } from './genesis.js';
import { TESTNET3_FIXED_SEEDS } from './seeds/testnet3.js';
import { CLASSIC_POW_LIMIT, CLASSIC_TIMING, TEST_BASE58 } from './shared.js';

/** Returns a new record of testnet3's parameters. */
export function testnet3Params(): ChainParams {
  return {
    ...CLASSIC_TIMING,
    name: 'test',
    datadirSub: 'testnet3',
    magic: fromHex('0b110907'),
    p2pPort: 18333,
    rpcPort: 18332,
    dnsSeeds: [
      'testnet-seed.bitcoin.jonasschnelli.ch.',
      'seed.tbtc.petertodd.net.',
      'testnet-seed.bluematt.me.',
      'seed.testnet.achownodes.xyz.',
    ],
    fixedSeeds: TESTNET3_FIXED_SEEDS,
    genesis: buildGenesis({
      time: 1296688602,
      nonce: 414098458,
      bits: 0x1d00ffff,
      message: SATOSHI_MESSAGE,
      key: SATOSHI_KEY,
      merkleRootHex: SATOSHI_MERKLE_ROOT,
    }),
    genesisHash: hashFromHex('000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943'),
    powLimit: CLASSIC_POW_LIMIT,
    allowMinDifficultyBlocks: true,
    noRetargeting: false,
    enforceBip94: false,
    bip34Height: 21_111,
    bip34Hash: hashFromHex('0000000023b3a96d3484e5abb3755c413e7d41500f8e2a5c3f0dd01299cd8ef8'),
    bip65Height: 581_885,
    bip66Height: 330_776,
    csvHeight: 770_112,
    segwitHeight: 834_624,
    scriptFlagExceptions: new Map([['00000000dd30457c001f4095d208cc1296b0eed002427aa599874af7a432b105', SCRIPT_VERIFY_NONE]]),
    deployments: [
      { name: 'testdummy', bit: 28, startTime: NEVER_ACTIVE, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: true },
      { name: 'taproot', bit: 2, startTime: 1619222400n, timeout: 1628640000n, minActivationHeight: 0, gbtForce: true },
    ],
    ruleChangeThreshold: 1512,
    minerConfirmationWindow: 2016,
    unknownVotesFrom: 2_013_984,
    signetChallenge: null,
    minimumChainWork: 0x17dde1c649f3708d14b6n,
    // Block at height 4,842,348.
    assumeValid: '000000007a61e4230b28ac5cb6b5e5a0130de37ac1faf2f8987d2fa6505b67f4',
    activity: { time: 1_772_051_651, transactions: 536_108_416, rate: 0.02691479016257117 },
    headersSync: { period: 673, buffer: 14_460 },
    assumedBlocksGb: 245,
    assumedChainStateGb: 19,
    assumedCoins: [
      {
        height: 2_500_000,
        blockHash: '0000000000000093bcb68c03a9a168ae252572d348a2eaeba2cdf9231d73206f',
        coinsHash: 'f841584909f68e47897952345234e37fcd9128cd818f41ee6c3ca68db8071be7',
        chainTxCount: 66_484_552,
      },
      {
        height: 4_840_000,
        blockHash: '00000000000000f4971a7fb37fbdff89315b69a2e1920c467654a382f0d64786',
        coinsHash: 'ce6bb677bb2ee9789c4a1c9d73e6683c53fc20e8fdbedbdaaf468982a0c8db2a',
        chainTxCount: 536_078_574,
      },
    ],
    checkpoints: [[546, hashFromHex('000000002a936ca763904c3c35fce2f3556c559c0214345d31b1bcebf76acb70')]],
    base58: TEST_BASE58,
    bech32Hrp: 'tb',
    pruneAfterHeight: 1_000,
    isTestChain: true,
    mineOnDemand: false,
  };
}
