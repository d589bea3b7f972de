// The main network. Numbers: Bitcoin Core, master of August 2026; checkpoints: Bitcoin Core 0.21.

import { fromHex, hashFromHex } from '../bytes/hex.js';
import { SCRIPT_VERIFY_NONE, SCRIPT_VERIFY_P2SH, SCRIPT_VERIFY_WITNESS } from '../script/flags.js';
import type { ChainParams } from './chain-params.js';
import { NEVER_ACTIVE, NO_TIMEOUT } from './deployment.js';
import { buildGenesis, SATOSHI_KEY, SATOSHI_MERKLE_ROOT, SATOSHI_MESSAGE } from './genesis.js';
import { MAIN_FIXED_SEEDS } from './seeds/main.js';
import { CLASSIC_POW_LIMIT, CLASSIC_TIMING } from './shared.js';

/** Returns a new record of the main network's parameters. */
export function mainParams(): ChainParams {
  return {
    ...CLASSIC_TIMING,
    name: 'main',
    datadirSub: '',
    magic: fromHex('f9beb4d9'),
    p2pPort: 8333,
    rpcPort: 8332,
    dnsSeeds: [
      'dnsseed.bluematt.me.',
      'seed.bitcoin.jonasschnelli.ch.',
      'seed.btc.petertodd.net.',
      'seed.bitcoin.sprovoost.nl.',
      'dnsseed.emzy.de.',
      'seed.bitcoin.wiz.biz.',
      'seed.mainnet.achownodes.xyz.',
    ],
    fixedSeeds: MAIN_FIXED_SEEDS,
    genesis: buildGenesis({
      time: 1231006505,
      nonce: 2083236893,
      bits: 0x1d00ffff,
      message: SATOSHI_MESSAGE,
      key: SATOSHI_KEY,
      merkleRootHex: SATOSHI_MERKLE_ROOT,
    }),
    genesisHash: hashFromHex('000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'),
    powLimit: CLASSIC_POW_LIMIT,
    allowMinDifficultyBlocks: false,
    noRetargeting: false,
    enforceBip94: false,
    bip34Height: 227_931,
    bip34Hash: hashFromHex('000000000000024b89b42a942fe0d9fea3bb44ab7bd1b19115dd6a759c0808b8'),
    bip65Height: 388_381,
    bip66Height: 363_725,
    csvHeight: 419_328,
    segwitHeight: 481_824,
    scriptFlagExceptions: new Map([
      // This block spends a P2SH output in a way that BIP-0016 forbids.
      ['00000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22', SCRIPT_VERIFY_NONE],
      // This block spends an output in a way that taproot forbids.
      ['0000000000000000000f14c35b2d841e986ab5441de8c585d5ffe55ea1e395ad', SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS],
    ]),
    deployments: [
      { name: 'testdummy', bit: 28, startTime: NEVER_ACTIVE, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: true },
      { name: 'taproot', bit: 2, startTime: 1619222400n, timeout: 1628640000n, minActivationHeight: 709_632, gbtForce: true },
    ],
    ruleChangeThreshold: 1815,
    minerConfirmationWindow: 2016,
    unknownVotesFrom: 711_648,
    signetChallenge: null,
    minimumChainWork: 0x1128750f82f4c366153a3a030n,
    // Block at height 938,343.
    assumeValid: '00000000000000000000ccebd6d74d9194d8dcdc1d177c478e094bfad51ba5ac',
    activity: { time: 1_772_055_173, transactions: 1_315_805_869, rate: 5.40111006496122 },
    headersSync: { period: 641, buffer: 15_218 },
    assumedBlocksGb: 856,
    assumedChainStateGb: 14,
    assumedCoins: [
      {
        height: 840_000,
        blockHash: '0000000000000000000320283a032748cef8227873ff4872689bf23f1cda83a5',
        coinsHash: 'a2a5521b1b5ab65f67818e5e8eccabb7171a517f9e2382208f77687310768f96',
        chainTxCount: 991_032_194,
      },
      {
        height: 880_000,
        blockHash: '000000000000000000010b17283c3c400507969a9c2afd1dcf2082ec5cca2880',
        coinsHash: 'dbd190983eaf433ef7c15f78a278ae42c00ef52e0fd2a54953782175fbadcea9',
        chainTxCount: 1_145_604_538,
      },
      {
        height: 910_000,
        blockHash: '0000000000000000000108970acb9522ffd516eae17acddcb1bd16469194a821',
        coinsHash: '4daf8a17b4902498c5787966a2b51c613acdab5df5db73f196fa59a4da2f1568',
        chainTxCount: 1_226_586_151,
      },
      {
        height: 935_000,
        blockHash: '0000000000000000000147034958af1652b2b91bba607beacc5e72a56f0fb5ee',
        coinsHash: 'e4b90ef9eae834f56c4b64d2d50143cee10ad87994c614d7d04125e2a6025050',
        chainTxCount: 1_305_397_408,
      },
    ],
    checkpoints: [
      [11_111, hashFromHex('0000000069e244f73d78e8fd29ba2fd2ed618bd6fa2ee92559f542fdb26e7c1d')],
      [33_333, hashFromHex('000000002dd5588a74784eaa7ab0507a18ad16a236e7b1ce69f00d7ddfb5d0a6')],
      [74_000, hashFromHex('0000000000573993a3c9e41ce34471c079dcf5f52a0e824a81e7f953b8661a20')],
      [105_000, hashFromHex('00000000000291ce28027faea320c8d2b054b2e0fe44a773f3eefb151d6bdc97')],
      [134_444, hashFromHex('00000000000005b12ffd4cd315cd34ffd4a594f430ac814c91184a0d42d2b0fe')],
      [168_000, hashFromHex('000000000000099e61ea72015e79632f216fe6cb33d7899acb35b75c8303b763')],
      [193_000, hashFromHex('000000000000059f452a5f7340de6682a977387c17010ff6e6c3bd83ca8b1317')],
      [210_000, hashFromHex('000000000000048b95347e83192f69cf0366076336c639f9b7228e9ba171342e')],
      [216_116, hashFromHex('00000000000001b4f4b433e81ee46494af945cf96014816a4e2370f11b23df4e')],
      [225_430, hashFromHex('00000000000001c108384350f74090433e7fcf79a606b8e797f065b130575932')],
      [250_000, hashFromHex('000000000000003887df1f29024b06fc2200b55f8af8f35453d7be294df2d214')],
      [279_000, hashFromHex('0000000000000001ae8c72a0b0c301f67e3afca10e819efa9041e458e9bd7e40')],
      [295_000, hashFromHex('00000000000000004d9b4ef50f0f9d686fd69db2e03af35a100370c64632a983')],
    ],
    base58: { p2pkh: 0, p2sh: 5, wif: 128, xpub: 0x0488b21e, xprv: 0x0488ade4 },
    bech32Hrp: 'bc',
    pruneAfterHeight: 100_000,
    isTestChain: false,
    mineOnDemand: false,
  };
}
