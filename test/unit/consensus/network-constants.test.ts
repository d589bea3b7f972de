// Compares every constant of every network with values written out by hand from Bitcoin Core's chainparams.cpp and
// chainparamsbase.cpp of August 2026. Checkpoints, the deployment of taproot and regtest's heights of buried rules are
// those of 0.21.1. The expected values do not use the parameters, and whole records are compared, so a new constant has
// to be added here too.

import crypto from 'node:crypto';
import t from 'tap';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { hashToHex, toHex } from '../../../src/consensus/bytes/hex.js';
import type { ChainName } from '../../../src/consensus/params/chain-params.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { createPureHashes } from '../../../src/crypto/pure.js';

const hashes = createPureHashes();
const NO_TIMEOUT = 9223372036854775807n;

/** The coinbase of every genesis block before testnet4. */
const TIMES_COINBASE = [
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a',
  '616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a',
  '01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a',
  '4c702b6bf11d5fac00000000',
].join('');
const TIMES_ROOT = '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b';
const TESTNET4_COINBASE = [
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff5504ffff001d01044c4c',
  Buffer.from('03/May/2024 000000000000000000001ebd58c244970b3aa9d783bb001011fbe8ea8e98e00e', 'latin1').toString('hex'),
  'ffffffff0100f2052a010000002321000000000000000000000000000000000000000000000000000000000000000000ac00000000',
].join('');

const TEST_PREFIXES = { p2pkh: 111, p2sh: 196, wif: 239, xpub: 0x043587cf, xprv: 0x04358394 };

/** Values of networks on which these rules are active from the beginning: testnet4 and signet. */
const RULES_FROM_BLOCK_1 = {
  bip34Height: 1,
  bip34Hash: null,
  bip65Height: 1,
  bip66Height: 1,
  csvHeight: 1,
  segwitHeight: 1,
  scriptFlagExceptions: [],
  deployments: [
    { name: 'testdummy', bit: 28, startTime: -2n, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: true },
    { name: 'taproot', bit: 2, startTime: -1n, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: true },
  ],
};

/** Content of a network's record, as text and numbers. */
const EXPECTED: Record<ChainName, unknown> = {
  main: {
    name: 'main',
    datadirSub: '',
    magic: 'f9beb4d9',
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
    genesis: {
      version: 1,
      time: 1231006505,
      nonce: 2083236893,
      bits: 0x1d00ffff,
      merkleRoot: TIMES_ROOT,
      hash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
      coinbase: TIMES_COINBASE,
    },
    genesisHash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    powLimit: '00000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    powTargetSpacing: 600,
    powTargetTimespan: 1_209_600,
    allowMinDifficultyBlocks: false,
    noRetargeting: false,
    enforceBip94: false,
    halvingInterval: 210_000,
    bip34Height: 227931,
    bip34Hash: '000000000000024b89b42a942fe0d9fea3bb44ab7bd1b19115dd6a759c0808b8',
    bip65Height: 388381,
    bip66Height: 363725,
    csvHeight: 419328,
    segwitHeight: 481824,
    // No flags for the first block. P2SH (bit 0) and WITNESS (bit 11) for the second.
    scriptFlagExceptions: [
      ['00000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22', 0],
      ['0000000000000000000f14c35b2d841e986ab5441de8c585d5ffe55ea1e395ad', 2049],
    ],
    deployments: [
      { name: 'testdummy', bit: 28, startTime: -2n, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: true },
      { name: 'taproot', bit: 2, startTime: 1619222400n, timeout: 1628640000n, minActivationHeight: 709632, gbtForce: true },
    ],
    ruleChangeThreshold: 1815,
    minerConfirmationWindow: 2016,
    unknownVotesFrom: 711648,
    signetChallenge: null,
    minimumChainWork: '0000000000000000000000000000000000000001128750f82f4c366153a3a030',
    assumeValid: '00000000000000000000ccebd6d74d9194d8dcdc1d177c478e094bfad51ba5ac',
    activity: { time: 1772055173, transactions: 1315805869, rate: 5.40111006496122 },
    headersSync: { period: 641, buffer: 15218 },
    assumedBlocksGb: 856,
    assumedChainStateGb: 14,
    checkpoints: [
      [11111, '0000000069e244f73d78e8fd29ba2fd2ed618bd6fa2ee92559f542fdb26e7c1d'],
      [33333, '000000002dd5588a74784eaa7ab0507a18ad16a236e7b1ce69f00d7ddfb5d0a6'],
      [74000, '0000000000573993a3c9e41ce34471c079dcf5f52a0e824a81e7f953b8661a20'],
      [105000, '00000000000291ce28027faea320c8d2b054b2e0fe44a773f3eefb151d6bdc97'],
      [134444, '00000000000005b12ffd4cd315cd34ffd4a594f430ac814c91184a0d42d2b0fe'],
      [168000, '000000000000099e61ea72015e79632f216fe6cb33d7899acb35b75c8303b763'],
      [193000, '000000000000059f452a5f7340de6682a977387c17010ff6e6c3bd83ca8b1317'],
      [210000, '000000000000048b95347e83192f69cf0366076336c639f9b7228e9ba171342e'],
      [216116, '00000000000001b4f4b433e81ee46494af945cf96014816a4e2370f11b23df4e'],
      [225430, '00000000000001c108384350f74090433e7fcf79a606b8e797f065b130575932'],
      [250000, '000000000000003887df1f29024b06fc2200b55f8af8f35453d7be294df2d214'],
      [279000, '0000000000000001ae8c72a0b0c301f67e3afca10e819efa9041e458e9bd7e40'],
      [295000, '00000000000000004d9b4ef50f0f9d686fd69db2e03af35a100370c64632a983'],
    ],
    base58: { p2pkh: 0, p2sh: 5, wif: 128, xpub: 0x0488b21e, xprv: 0x0488ade4 },
    bech32Hrp: 'bc',
    pruneAfterHeight: 100000,
    isTestChain: false,
    mineOnDemand: false,
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
  },
  test: {
    name: 'test',
    datadirSub: 'testnet3',
    magic: '0b110907',
    p2pPort: 18333,
    rpcPort: 18332,
    dnsSeeds: [
      'testnet-seed.bitcoin.jonasschnelli.ch.',
      'seed.tbtc.petertodd.net.',
      'testnet-seed.bluematt.me.',
      'seed.testnet.achownodes.xyz.',
    ],
    genesis: {
      version: 1,
      time: 1296688602,
      nonce: 414098458,
      bits: 0x1d00ffff,
      merkleRoot: TIMES_ROOT,
      hash: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
      coinbase: TIMES_COINBASE,
    },
    genesisHash: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
    powLimit: '00000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    powTargetSpacing: 600,
    powTargetTimespan: 1_209_600,
    allowMinDifficultyBlocks: true,
    noRetargeting: false,
    enforceBip94: false,
    halvingInterval: 210_000,
    bip34Height: 21111,
    bip34Hash: '0000000023b3a96d3484e5abb3755c413e7d41500f8e2a5c3f0dd01299cd8ef8',
    bip65Height: 581885,
    bip66Height: 330776,
    csvHeight: 770112,
    segwitHeight: 834624,
    scriptFlagExceptions: [['00000000dd30457c001f4095d208cc1296b0eed002427aa599874af7a432b105', 0]],
    deployments: [
      { name: 'testdummy', bit: 28, startTime: -2n, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: true },
      { name: 'taproot', bit: 2, startTime: 1619222400n, timeout: 1628640000n, minActivationHeight: 0, gbtForce: true },
    ],
    ruleChangeThreshold: 1512,
    minerConfirmationWindow: 2016,
    unknownVotesFrom: 2013984,
    signetChallenge: null,
    minimumChainWork: '0000000000000000000000000000000000000000000017dde1c649f3708d14b6',
    assumeValid: '000000007a61e4230b28ac5cb6b5e5a0130de37ac1faf2f8987d2fa6505b67f4',
    activity: { time: 1772051651, transactions: 536108416, rate: 0.02691479016257117 },
    headersSync: { period: 673, buffer: 14460 },
    assumedBlocksGb: 245,
    assumedChainStateGb: 19,
    checkpoints: [[546, '000000002a936ca763904c3c35fce2f3556c559c0214345d31b1bcebf76acb70']],
    base58: TEST_PREFIXES,
    bech32Hrp: 'tb',
    pruneAfterHeight: 1000,
    isTestChain: true,
    mineOnDemand: false,
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
  },
  testnet4: {
    name: 'testnet4',
    datadirSub: 'testnet4',
    magic: '1c163f28',
    p2pPort: 48333,
    rpcPort: 48332,
    dnsSeeds: ['seed.testnet4.bitcoin.sprovoost.nl.', 'seed.testnet4.wiz.biz.'],
    genesis: {
      version: 1,
      time: 1714777860,
      nonce: 393743547,
      bits: 0x1d00ffff,
      merkleRoot: '7aa0a7ae1e223414cb807e40cd57e667b718e42aaf9306db9102fe28912b7b4e',
      hash: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
      coinbase: TESTNET4_COINBASE,
    },
    genesisHash: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
    powLimit: '00000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    powTargetSpacing: 600,
    powTargetTimespan: 1_209_600,
    allowMinDifficultyBlocks: true,
    noRetargeting: false,
    enforceBip94: true,
    halvingInterval: 210_000,
    ...RULES_FROM_BLOCK_1,
    ruleChangeThreshold: 1512,
    minerConfirmationWindow: 2016,
    unknownVotesFrom: 0,
    signetChallenge: null,
    minimumChainWork: '0000000000000000000000000000000000000000000009a0fe15d0177d086304',
    assumeValid: '0000000002368b1e4ee27e2e85676ae6f9f9e69579b29093e9a82c170bf7cf8a',
    activity: { time: 1772013387, transactions: 14191421, rate: 0.01848579579528412 },
    headersSync: { period: 606, buffer: 16092 },
    assumedBlocksGb: 31,
    assumedChainStateGb: 2,
    checkpoints: [],
    base58: TEST_PREFIXES,
    bech32Hrp: 'tb',
    pruneAfterHeight: 1000,
    isTestChain: true,
    mineOnDemand: false,
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
  },
  signet: {
    name: 'signet',
    datadirSub: 'signet',
    magic: '0a03cf40',
    p2pPort: 38333,
    rpcPort: 38332,
    dnsSeeds: ['seed.signet.bitcoin.sprovoost.nl.', 'seed.signet.achownodes.xyz.'],
    genesis: {
      version: 1,
      time: 1598918400,
      nonce: 52613770,
      bits: 0x1e0377ae,
      merkleRoot: TIMES_ROOT,
      hash: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
      coinbase: TIMES_COINBASE,
    },
    genesisHash: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
    powLimit: '00000377ae000000000000000000000000000000000000000000000000000000',
    powTargetSpacing: 600,
    powTargetTimespan: 1_209_600,
    allowMinDifficultyBlocks: false,
    noRetargeting: false,
    enforceBip94: false,
    halvingInterval: 210_000,
    ...RULES_FROM_BLOCK_1,
    ruleChangeThreshold: 1815,
    minerConfirmationWindow: 2016,
    unknownVotesFrom: 0,
    signetChallenge:
      '512103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be430210359ef5021964fe22d6f8e05b2463c9540ce96883fe3b278760f048f5189f2e6c452ae',
    minimumChainWork: '00000000000000000000000000000000000000000000000000000b463ea0a4b8',
    assumeValid: '00000008414aab61092ef93f1aacc54cf9e9f16af29ddad493b908a01ff5c329',
    activity: { time: 1772055248, transactions: 28676833, rate: 0.06736623436338929 },
    headersSync: { period: 620, buffer: 15724 },
    assumedBlocksGb: 24,
    assumedChainStateGb: 4,
    checkpoints: [],
    base58: TEST_PREFIXES,
    bech32Hrp: 'tb',
    pruneAfterHeight: 1000,
    isTestChain: true,
    mineOnDemand: false,
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
  },
  regtest: {
    name: 'regtest',
    datadirSub: 'regtest',
    magic: 'fabfb5da',
    p2pPort: 18444,
    rpcPort: 18443,
    dnsSeeds: [],
    genesis: {
      version: 1,
      time: 1296688602,
      nonce: 2,
      bits: 0x207fffff,
      merkleRoot: TIMES_ROOT,
      hash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
      coinbase: TIMES_COINBASE,
    },
    genesisHash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
    powLimit: '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    powTargetSpacing: 600,
    powTargetTimespan: 86_400,
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
    scriptFlagExceptions: [],
    deployments: [
      { name: 'testdummy', bit: 28, startTime: 0n, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: true },
      { name: 'taproot', bit: 2, startTime: -1n, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: true },
      // BIP-0054 is in no network's parameters yet. Only -vbparams enables it.
      { name: 'consensuscleanup', bit: 4, startTime: -2n, timeout: NO_TIMEOUT, minActivationHeight: 0, gbtForce: false },
    ],
    ruleChangeThreshold: 108,
    minerConfirmationWindow: 144,
    unknownVotesFrom: 0,
    signetChallenge: null,
    minimumChainWork: '0000000000000000000000000000000000000000000000000000000000000000',
    assumeValid: null,
    activity: { time: 0, transactions: 0, rate: 0.001 },
    headersSync: { period: 275, buffer: 7017 },
    assumedBlocksGb: 0,
    assumedChainStateGb: 0,
    checkpoints: [[0, '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206']],
    base58: TEST_PREFIXES,
    bech32Hrp: 'bcrt',
    pruneAfterHeight: 1000,
    isTestChain: true,
    mineOnDemand: true,
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
  },
};

/** SHA-256 of the arrays in Core's chainparamsseeds.h of August 2026. They detect every change of an address. */
const SEED_DIGESTS: Record<ChainName, string> = {
  main: '7d10e20028806d791445e5780f6ab230d36ba52d2549f7d1159287c4cf341a10',
  test: '31062ba72abafb74792a47062a9ffc343998124d9d861096b5ba5be6c336a34f',
  testnet4: 'e01497b6399a196ff32b880b3585e99b967e0bf70711bc062a018e02215b4b64',
  signet: 'ba4e881f3ae7c97c8a17a8fb2432ce082d058d34373c9356f8ef13d0e8293332',
  regtest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
};

const wide = (value: bigint): string => value.toString(16).padStart(64, '0');

for (const name of ['main', 'test', 'testnet4', 'signet', 'regtest'] as const) {
  t.test(`${name}: all constants equal those of Core`, async (t) => {
    const { genesis, fixedSeeds, ...params } = chainParams(name);
    const block = parseBlock(genesis, hashes, { exact: true });
    const { version, time, nonce, bits, merkleRoot } = block.header;
    t.equal(block.txs.length, 1);
    t.strictSame(
      {
        ...params,
        magic: toHex(params.magic),
        genesis: {
          version,
          time,
          nonce,
          bits,
          merkleRoot: hashToHex(merkleRoot),
          hash: hashToHex(block.hash),
          coinbase: toHex(genesis.subarray(81)),
        },
        genesisHash: hashToHex(params.genesisHash),
        powLimit: wide(params.powLimit),
        bip34Hash: params.bip34Hash === null ? null : hashToHex(params.bip34Hash),
        scriptFlagExceptions: [...params.scriptFlagExceptions],
        checkpoints: params.checkpoints.map(([height, hash]) => [height, hashToHex(hash)]),
        signetChallenge: params.signetChallenge === null ? null : toHex(params.signetChallenge),
        minimumChainWork: wide(params.minimumChainWork),
      },
      EXPECTED[name],
    );
    t.equal(crypto.createHash('sha256').update(Buffer.from(fixedSeeds, 'base64')).digest('hex'), SEED_DIGESTS[name], 'fixed seeds');
  });
}

t.test('regtest takes the parameters of another release, and BIP-0094 on request', async (t) => {
  const activity = { time: 0, transactions: 0, rate: 0 };
  const old = chainParams('regtest', { regtest: { powTargetTimespan: 1_209_600, activity } });
  t.equal(old.powTargetTimespan, 1_209_600);
  t.same(old.activity, activity);
  t.equal(old.enforceBip94, false);
  t.equal(chainParams('regtest', { regtest: { enforceBip94: true } }).enforceBip94, true);
  t.equal(chainParams('main', { regtest: { enforceBip94: true } }).enforceBip94, false, 'other networks stay as they are');
});

t.test('a custom signet has no minimum work, assumed-valid block or statistics', async (t) => {
  const own = chainParams('signet', { signetChallenge: Uint8Array.of(0x51) }, hashes);
  t.equal(own.minimumChainWork, 0n);
  t.equal(own.assumeValid, null);
  t.same(own.activity, { time: 0, transactions: 0, rate: 0 });
  t.same([own.assumedBlocksGb, own.assumedChainStateGb], [0, 0]);
});
