// The default signet (BIP-0325). Numbers: Bitcoin Core, master of August 2026. networks.ts inserts a custom challenge.

import { fromHex, hashFromHex } from '../bytes/hex.js';
import type { ChainParams } from './chain-params.js';
import { buildGenesis, SATOSHI_KEY, SATOSHI_MERKLE_ROOT, SATOSHI_MESSAGE } from './genesis.js';
import { SIGNET_FIXED_SEEDS } from './seeds/signet.js';
import { CLASSIC_TIMING, YOUNG_NETWORK } from './shared.js';

/** Returns a new record of the default signet's parameters. */
export function signetParams(): ChainParams {
  return {
    ...CLASSIC_TIMING,
    ...YOUNG_NETWORK,
    name: 'signet',
    datadirSub: 'signet',
    magic: fromHex('0a03cf40'),
    p2pPort: 38333,
    rpcPort: 38332,
    dnsSeeds: ['seed.signet.bitcoin.sprovoost.nl.', 'seed.signet.achownodes.xyz.'],
    fixedSeeds: SIGNET_FIXED_SEEDS,
    genesis: buildGenesis({
      time: 1598918400,
      nonce: 52613770,
      bits: 0x1e0377ae,
      message: SATOSHI_MESSAGE,
      key: SATOSHI_KEY,
      merkleRootHex: SATOSHI_MERKLE_ROOT,
    }),
    genesisHash: hashFromHex('00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6'),
    powLimit: 0x377aen << 216n,
    allowMinDifficultyBlocks: false,
    noRetargeting: false,
    enforceBip94: false,
    scriptFlagExceptions: new Map(),
    ruleChangeThreshold: 1815,
    signetChallenge: fromHex(
      '512103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be430210359ef5021964fe22d6f8e05b2463c9540ce96883fe3b278760f048f5189f2e6c452ae',
    ),
    minimumChainWork: 0xb463ea0a4b8n,
    // Block at height 293,175.
    assumeValid: '00000008414aab61092ef93f1aacc54cf9e9f16af29ddad493b908a01ff5c329',
    activity: { time: 1_772_055_248, transactions: 28_676_833, rate: 0.06736623436338929 },
    headersSync: { period: 620, buffer: 15_724 },
    assumedBlocksGb: 24,
    assumedChainStateGb: 4,
    assumedCoins: [
      {
        height: 160_000,
        blockHash: '0000003ca3c99aff040f2563c2ad8f8ec88bd0fd6b8f0895cfaf1ef90353a62c',
        coinsHash: 'fe0a44309b74d6b5883d246cb419c6221bcccf0b308c9b59b7d70783dbdf928a',
        chainTxCount: 2_289_496,
      },
      {
        height: 290_000,
        blockHash: '0000000577f2741bb30cd9d39d6d71b023afbeb9764f6260786a97969d5c9ac0',
        coinsHash: '97267e000b4b876800167e71b9123f1529d13b14308abec2888bbd2160d14545',
        chainTxCount: 28_547_497,
      },
    ],
  };
}
