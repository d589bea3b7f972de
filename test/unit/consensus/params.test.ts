// Tests the networks: genesis blocks are consistent, options change the parameters, and values that follow from them.
// network-constants.test.ts has the constants.

import t from 'tap';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { blockMerkleRoot } from '../../../src/consensus/block/merkle.js';
import { equalBytes, fromHex, toHex } from '../../../src/consensus/bytes/hex.js';
import { type ChainName, retargetInterval } from '../../../src/consensus/params/chain-params.js';
import { type BuriedRule, chainParams, networkOfMagic } from '../../../src/consensus/params/networks.js';
import { proofOfWork } from '../../../src/consensus/rules/bits.js';
import { blockSubsidy } from '../../../src/consensus/rules/subsidy.js';
import { createPureHashes } from '../../../src/crypto/pure.js';

const hashes = createPureHashes();
const NAMES: ChainName[] = ['main', 'test', 'testnet4', 'signet', 'regtest'];

t.test('genesis blocks have the merkle root and the proof of work of their headers', async (t) => {
  for (const name of NAMES) {
    const params = chainParams(name);
    const block = parseBlock(params.genesis, hashes, { exact: true });
    t.ok(equalBytes(blockMerkleRoot(block).root, block.header.merkleRoot), 'root');
    t.ok(proofOfWork(block.hash, block.header.bits, params.powLimit), 'proof of work');
    t.equal(retargetInterval(params), name === 'regtest' ? 144 : 2016);
  }
});

t.test('options override deployments, heights and the signet challenge', async (t) => {
  const regtest = chainParams('regtest', {
    activationHeights: { segwit: 20 },
    vbparams: [
      { name: 'testdummy', startTime: 1n, timeout: 2n, minActivationHeight: 3 },
      { name: 'taproot', startTime: -2n, timeout: 5n, minActivationHeight: 0 },
      { name: 'testdummy', startTime: 10n, timeout: 20n, minActivationHeight: 30 },
    ],
  });
  t.equal(regtest.segwitHeight, 20);
  t.same(regtest.deployments[0], { name: 'testdummy', bit: 28, startTime: 10n, timeout: 20n, minActivationHeight: 30, gbtForce: true });
  t.equal(regtest.deployments[1].startTime, -2n);
  t.equal(chainParams('regtest', { activationHeights: { segwit: -1 } }).segwitHeight, 0x7fffffff);
  t.equal(chainParams('regtest', { activationHeights: { segwit: 0 } }).segwitHeight, 0);
  t.equal(chainParams('main', { activationHeights: { segwit: 5 } }).segwitHeight, 481824, 'regtest only');

  const custom = chainParams('signet', { signetChallenge: fromHex('51') }, hashes);
  t.equal(toHex(custom.signetChallenge ?? fromHex('')), '51');
  t.equal(custom.fixedSeeds, '');
  t.equal(toHex(custom.magic), toHex(hashes.sha256d(fromHex('0151')).subarray(0, 4)));
  t.equal(custom.assumeValid, null);
  t.equal(custom.minimumChainWork, 0n);
  t.same(custom.dnsSeeds, []);
  t.same(chainParams('signet', { signetSeedNodes: ['seed.example.'] }).dnsSeeds, ['seed.example.']);
  t.throws(() => chainParams('signet', { signetChallenge: fromHex('51') }), { name: 'TypeError', message: /requires hash functions/ });
  t.equal(
    toHex(chainParams('signet', { signetChallenge: chainParams('signet').signetChallenge ?? fromHex('') }, hashes).magic),
    '0a03cf40',
  );
});

t.test('an option sets only the activation height of the rule that it names', async (t) => {
  const heights = (activationHeights: Partial<Record<BuriedRule, number>>): object => {
    const { segwitHeight, bip34Height, bip66Height, bip65Height, csvHeight } = chainParams('regtest', { activationHeights });
    return { segwit: segwitHeight, bip34: bip34Height, dersig: bip66Height, cltv: bip65Height, csv: csvHeight };
  };
  const usual = { segwit: 0, bip34: 500, dersig: 1251, cltv: 1351, csv: 432 };
  t.strictSame(heights({}), usual);
  for (const rule of ['segwit', 'bip34', 'dersig', 'cltv', 'csv'] as const) {
    for (const height of [0, 7]) t.strictSame(heights({ [rule]: height }), { ...usual, [rule]: height }, rule);
    t.strictSame(heights({ [rule]: -1 }), { ...usual, [rule]: 0x7fffffff }, `${rule}: never`);
  }
});

t.test('-signetseednode replaces the seeds of any signet', async (t) => {
  const signetSeedNodes = ['seed.example.'];
  const custom = chainParams('signet', { signetChallenge: fromHex('51'), signetSeedNodes }, hashes);
  t.strictSame([custom.dnsSeeds, custom.fixedSeeds], [signetSeedNodes, '']);
  const usual = chainParams('signet');
  t.strictSame(chainParams('signet', { signetSeedNodes }), { ...usual, dnsSeeds: signetSeedNodes }, 'and nothing else changes');
});

t.test('identifies the network by its four magic bytes', async (t) => {
  const names = ['f9beb4d9', '0b110907', '1c163f28', '0a03cf40', 'fabfb5da'].map((magic) => networkOfMagic(fromHex(magic)));
  t.strictSame(names, NAMES);
  for (const other of ['f9beb4da', 'f9beb4', 'f9beb4d900', '']) t.equal(networkOfMagic(fromHex(other)), null, other);
});

t.test('computes the block subsidy at every halving', async (t) => {
  const main = chainParams('main');
  t.same(
    [0, 209_999, 210_000, 419_999, 420_000, 630_000, 840_000, 6_929_999, 6_930_000, 13_440_000].map((height) => blockSubsidy(height, main)),
    [5e9, 5e9, 25e8, 25e8, 125e7, 625e6, 3125e5, 1, 0, 0],
  );
  t.same(
    [149, 150, 299, 300].map((height) => blockSubsidy(height, chainParams('regtest'))),
    [5e9, 25e8, 25e8, 125e7],
  );
  let total = 0;
  for (let height = 0; height < 7_000_000; height += 1000) total += blockSubsidy(height, main) * 1000;
  t.equal(total, 2_099_999_997_690_000, 'all coins there will ever be');
});
