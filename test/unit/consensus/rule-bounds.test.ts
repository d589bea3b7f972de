// Tests block rules at limits where a change of one sign or one number would change the verdict. Each case was found by
// changing the compiled rule.

import crypto from 'node:crypto';
import t from 'tap';
import { fromHex, hashFromHex, toHex } from '../../../src/consensus/bytes/hex.js';
import type { ChainParams } from '../../../src/consensus/params/chain-params.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { canRepeat, enforceBip30 } from '../../../src/consensus/rules/bip30.js';
import { blockProof } from '../../../src/consensus/rules/bits.js';
import { blockScriptFlags } from '../../../src/consensus/rules/block-script-flags.js';
import { cleanupMinTime } from '../../../src/consensus/rules/cleanup/header-times.js';
import { witnessCommitment } from '../../../src/consensus/rules/contextual-check-block.js';
import { checkSignetSolution, signetTxs } from '../../../src/consensus/rules/signet.js';
import { deploymentSince, unknownVotes, VersionBitsCache } from '../../../src/consensus/rules/versionbits.js';
import { plainPush } from '../../../src/consensus/script/build-script.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { input, makeBlock, makeCoinbase, makeTx, output } from '../../framework/law-blocks.js';
import { ModelNode } from '../../framework/law-model.js';

const native = createNativeCrypto();
const regtest = chainParams('regtest');
const MARK = fromHex('ecc7daa2');
const COMMITMENT = fromHex(`6a24aa21a9ed${'77'.repeat(32)}`);
const sha256d = (bytes: Uint8Array): string => {
  const once = crypto.createHash('sha256').update(bytes).digest();
  return crypto.createHash('sha256').update(once).digest('hex');
};

/** Makes a chain of headers up to a height, one second apart. */
function chainTo(height: number, version = 0x20000000): ModelNode {
  let tip: ModelNode | null = null;
  for (let h = 0; h <= height; h++) tip = new ModelNode(tip, 1_000_000 + h, 1, version, Uint8Array.of(h & 255, h >> 8));
  return tip as ModelNode;
}

/**
 * Makes a block whose commitment output contains further bytes.
 * @param first the commitment is the coinbase's first output
 */
function blockWith(tail: Uint8Array, first = false) {
  const commitment = output(0, Uint8Array.of(...COMMITMENT, ...tail));
  const outputs = first ? [commitment, output(50e8)] : [output(50e8), commitment];
  const coinbase = makeCoinbase(native, fromHex('5151'), outputs);
  return makeBlock(native, [coinbase, makeTx(native, { inputs: [input(new Uint8Array(32).fill(9))] })], { time: 1_600_000_600 });
}
const solved = (solution: Uint8Array): Uint8Array => plainPush(Uint8Array.of(...MARK, ...solution));
const signetOf = (challenge: string): ChainParams => chainParams('signet', { signetChallenge: fromHex(challenge) }, native);

t.test('accepts a signet commitment in the first output', async (t) => {
  t.equal(checkSignetSolution(blockWith(new Uint8Array(0), true), signetOf('51'), native), null);
});

t.test('signs a signet block without its solution', async (t) => {
  const signed = signetTxs(blockWith(solved(fromHex('0000'))), fromHex('51'));
  const bare = blockWith(plainPush(MARK));
  const script = signed?.toSpend.scriptSig(0) ?? new Uint8Array(0);
  // OP_0, and a push of 72 bytes: version 4, previous block 32, merkle root 32, time 4.
  t.equal(toHex(script.subarray(0, 2)), '0048');
  t.equal(toHex(script.subarray(38, 70)), toHex(bare.header.merkleRoot), 'the root with the solution cut out of the coinbase');
  t.equal(toHex(script.subarray(70)), toHex(bare.header.bytes.subarray(68, 72)));
  t.equal(toHex(signed?.toSign.prevHash(0) ?? MARK), toHex(signed?.toSpend.txid ?? COMMITMENT));
  t.equal(signed?.toSign.prevIndex(0), 0);
  // The transaction of BIP-0325, field by field: version, input, sequence, output, locktime.
  const spent = `${'00'.repeat(32)}ffffffff4a${toHex(script)}00000000`;
  t.equal(toHex(signed?.toSpend.bytes ?? MARK), `0000000001${spent}0100000000000000000151${'00'.repeat(4)}`);
  t.equal(
    toHex(signed?.toSign.bytes ?? MARK),
    `0000000001${toHex(signed?.toSpend.txid ?? MARK)}000000000000000000010000000000000000016a${'00'.repeat(4)}`,
  );
  const torn = signetTxs(blockWith(Uint8Array.of(...solved(fromHex('0000')), 0x4d, 0x01)), fromHex('51'));
  t.equal(toHex(torn?.toSpend.bytes ?? MARK), toHex(signed?.toSpend.bytes ?? COMMITMENT), 'a torn push at the end is dropped');
  const hollow = signetTxs(blockWith(Uint8Array.of(0x4c, 0, ...solved(fromHex('0000')))), fromHex('51'));
  const opcode = blockWith(Uint8Array.of(0x4c, ...plainPush(MARK)));
  t.equal(
    toHex(hollow?.toSpend.scriptSig(0).subarray(38, 70) ?? MARK),
    toHex(opcode.header.merkleRoot),
    'of an empty push its opcode is left',
  );
});

t.test('accepts signet solutions longer than 255 bytes', async (t) => {
  // A scriptSig that pushes 300 bytes. The challenge (7551) drops them and returns true.
  const scriptSig = plainPush(new Uint8Array(300).fill(7));
  const solution = Uint8Array.of(0xfd, scriptSig.length & 255, scriptSig.length >> 8, ...scriptSig, 0);
  t.equal(checkSignetSolution(blockWith(solved(solution)), signetOf('7551'), native), null);
});

t.test('counts votes for unknown rules from the configured height on', async (t) => {
  const [period, voted] = [144, 0x20000000 | (1 << 20)];
  let tip: ModelNode = chainTo(143);
  // 108 of 144 blocks have to vote. Blocks 180 to 287 do.
  for (let h = 144; h < 144 + period; h++) {
    tip = new ModelNode(tip, 1_000_000 + h, 1, h >= 180 ? voted : 0x20000000, Uint8Array.of(h & 255, h >> 8));
  }
  const votes = (unknownVotesFrom: number): number => unknownVotes(tip, { ...regtest, unknownVotesFrom }, new VersionBitsCache());
  t.equal(votes(180), 1 << 20);
  t.equal(votes(181), 0);
  // For the lowest bits, the first 108 blocks of the period vote.
  tip = chainTo(143);
  for (let h = 144; h < 144 + period; h++) {
    tip = new ModelNode(tip, 1_000_000 + h, 1, h < 252 ? 0x20000003 : 0x20000000, Uint8Array.of(h & 255, h >> 8));
  }
  t.equal(votes(0), 3);
});

t.test('returns 0 as the start of a deployment that is only defined', async (t) => {
  const later = { name: 'testdummy', bit: 28, startTime: 2_000_000n, timeout: 3_000_000n, minActivationHeight: 0, gbtForce: true };
  const params = { ...regtest, deployments: [later] };
  t.equal(deploymentSince(later, chainTo(600), params, new VersionBitsCache()), 0);
  t.equal(deploymentSince(later, chainTo(100), params, new VersionBitsCache()), 0);
});

t.test('a witness commitment is the double hash of the witness root and the reserved value', async (t) => {
  // If the coinbase is the only transaction, the witness root is zero.
  const block = makeBlock(native, [makeCoinbase(native, fromHex('5151'), [output(50e8)])]);
  const reserved = new Uint8Array(32).fill(5);
  t.equal(toHex(witnessCommitment(block, reserved)), sha256d(Buffer.concat([Buffer.alloc(32), reserved])));
});

t.test('BIP-0054 limits times only at the two ends of a retarget period', async (t) => {
  const params: ChainParams = { ...regtest, powTargetTimespan: 6_000, powTargetSpacing: 600 };
  const least = (height: number): number => cleanupMinTime(chainTo(height - 1), params);
  t.same([18, 19, 20, 21, 28, 29].map(least), [
    Number.NEGATIVE_INFINITY,
    1_000_010,
    1_000_019 - 7_200,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    1_000_020,
  ]);
});

t.test('enforces BIP-0030 unless the known history makes duplicates impossible', async (t) => {
  const prev = chainTo(20);
  t.equal(enforceBip30(prev, null, { ...regtest, bip34Height: 10, bip34Hash: null }), true, 'no activation hash');
  const hash = prev.ancestor(10)?.hash ?? null;
  t.equal(enforceBip30(prev, null, { ...regtest, bip34Height: 10, bip34Hash: hash }), false);
  t.equal(enforceBip30(prev, null, { ...regtest, bip34Height: 11, bip34Hash: hash }), true, 'another block was there');
  t.equal(enforceBip30(prev, null, { ...regtest, bip34Height: 21, bip34Hash: hash }), true, 'the height is not reached');
  const late = new ModelNode(prev, 1_100_000, 1, 1, Uint8Array.of(1), 1_983_701);
  t.equal(enforceBip30(late, null, { ...regtest, bip34Height: 10, bip34Hash: hash }), true, 'from 1,983,702 on');
  for (const bip34Height of [1, 2]) {
    for (const each of [prev, late]) t.equal(enforceBip30(each, null, { ...regtest, bip34Height, bip34Hash: null }), true);
  }
  t.equal(canRepeat({ ...regtest, bip34Height: 1 }), false, 'heights from the first block on');
  t.equal(canRepeat({ ...regtest, bip34Height: 2 }), true, 'one block without');
  const before = new ModelNode(prev, 1_100_000, 1, 1, Uint8Array.of(1), 1_983_700);
  t.equal(enforceBip30(before, null, { ...regtest, bip34Height: 10, bip34Hash: hash }), false);
});

t.test('computes the exact work of the hardest targets', async (t) => {
  // For the targets 1 and 2 the work is 2^256 / 2 and 2^256 / 3.
  t.equal(blockProof(0x03000001), 2n ** 255n);
  t.equal(blockProof(0x03000002), (2n ** 256n - 1n) / 3n);
  t.equal(blockProof(0x1d00ffff), 4_295_032_833n);
});

t.test('applies no height-activated script flags to the genesis block', async (t) => {
  // Flags of the network: P2SH, WITNESS (bit 11) and TAPROOT (bit 17). From block 1 on also DERSIG (2), CLTV (9), CSV
  // (10) and NULLDUMMY (4).
  const testnet4 = chainParams('testnet4');
  const genesis = new ModelNode(null, 1_000_000, 1, 1, Uint8Array.of(0));
  t.equal(blockScriptFlags(null, null, testnet4, new VersionBitsCache()), 1 + 2_048 + 131_072);
  t.equal(
    blockScriptFlags(null, null, chainParams('main'), new VersionBitsCache()),
    1 + 2_048,
    'a block that has no hash yet is no exception',
  );
  const exempt = hashFromHex('00000000dd30457c001f4095d208cc1296b0eed002427aa599874af7a432b105');
  t.equal(blockScriptFlags(null, exempt, chainParams('test'), new VersionBitsCache()), 0, 'the only exception of testnet3');
  t.equal(blockScriptFlags(genesis, null, testnet4, new VersionBitsCache()), 1 + 2_048 + 131_072 + 4 + 512 + 1_024 + 16);
});
