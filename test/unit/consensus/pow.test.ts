// Tests targets: the compact form with its sign and overflow rules, work, and required bits on every kind of network.

import t from 'tap';
import { hashFromHex } from '../../../src/consensus/bytes/hex.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { blockProof, decodeCompact, encodeCompact, hashToBigint, proofOfWork, targetOf } from '../../../src/consensus/rules/bits.js';
import { requiredBits } from '../../../src/consensus/rules/required-bits.js';
import { fc } from '../../framework/fast-check.js';
import { ModelNode } from '../../framework/law-model.js';

fc.configureGlobal({ seed: 20240816, numRuns: 500 });

t.test('decodes and encodes compact targets with sign and overflow', async (t) => {
  // Bits, target, negative, overflow, bits encoded again: the edge cases of Core's own tests.
  const rows: [number, bigint, boolean, boolean, number][] = [
    [0x00000000, 0n, false, false, 0],
    [0x00123456, 0n, false, false, 0],
    [0x01003456, 0n, false, false, 0],
    [0x02000056, 0n, false, false, 0],
    [0x03000000, 0n, false, false, 0],
    [0x04000000, 0n, false, false, 0],
    [0x00923456, 0n, false, false, 0],
    [0x01803456, 0n, false, false, 0],
    [0x01123456, 0x12n, false, false, 0x01120000],
    [0x02123456, 0x1234n, false, false, 0x02123400],
    [0x03123456, 0x123456n, false, false, 0x03123456],
    [0x04123456, 0x12345600n, false, false, 0x04123456],
    [0x05009234, 0x92340000n, false, false, 0x05009234],
    [0x20123456, 0x123456n << 232n, false, false, 0x20123456],
  ];
  for (const [bits, target, negative, overflow, encoded] of rows) {
    t.same(decodeCompact(bits), { target, negative, overflow }, bits.toString(16));
    t.equal(encodeCompact(target), encoded);
  }
  t.equal(encodeCompact(0x80n), 0x02008000);
  t.match(decodeCompact(0x01fedcba), { target: 0x7en, negative: true });
  t.match(decodeCompact(0x04923456), { target: 0x12345600n, negative: true });
  t.same(
    [0xff123456, 0x23000001, 0x22000100, 0x21010000].map((bits) => decodeCompact(bits).overflow),
    [true, true, true, true],
  );
  t.same(
    [0x22000001, 0x210000ff, 0x2100ffff, 0x20010000].map((bits) => decodeCompact(bits).overflow),
    [false, false, false, false],
  );
  t.same(
    [0x220000ff, 0x22000101].map((bits) => decodeCompact(bits).overflow),
    [false, true],
  );
  fc.assert(
    fc.property(fc.bigInt(1n, 2n ** 256n - 1n), (target) => {
      const back = decodeCompact(encodeCompact(target));
      // The value after encoding is never higher than the target, and differs only below the upper two bytes.
      return !back.negative && !back.overflow && back.target <= target && (target - back.target) << 15n < target + (1n << 15n);
    }),
  );
});

t.test('checks proof of work against target and limit', async (t) => {
  const limit = (1n << 224n) - 1n;
  const genesis = hashFromHex('000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f');
  t.equal(hashToBigint(genesis).toString(16), '19d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f');
  t.ok(proofOfWork(genesis, 0x1d00ffff, limit));
  t.notOk(proofOfWork(genesis, 0x1a00ffff, limit), 'too hard for this hash');
  t.notOk(proofOfWork(genesis, 0x1d010000, limit), 'easier than the limit');
  t.notOk(proofOfWork(genesis, 0x1d80ffff, limit), 'negative');
  t.notOk(proofOfWork(genesis, 0, limit), 'zero');
  t.notOk(proofOfWork(genesis, 0xff123456, (1n << 256n) - 1n), 'overflow');
  const exact = hashFromHex(`00000000ffff${'00'.repeat(26)}`);
  t.ok(proofOfWork(exact, 0x1d00ffff, limit), 'equal counts');
  t.notOk(proofOfWork(hashFromHex(`00000000ffff${'00'.repeat(25)}01`), 0x1d00ffff, limit));
  t.equal(targetOf(0x1d00ffff, limit), 0xffffn << 208n);
  t.equal(targetOf(0x20ffffff, limit), null);
  t.equal(targetOf(0x03000001, limit), 1n, 'the hardest');
  t.equal(targetOf(0x22000101, (1n << 256n) - 1n), null, 'an overflow, although what is left of it is in range');
});

t.test('computes the work of a block from its bits', async (t) => {
  t.equal(blockProof(0x1d00ffff), 0x100010001n);
  t.equal(blockProof(0x207fffff), 2n);
  t.same([0, 0x1d80ffff, 0xff123456].map(blockProof), [0n, 0n, 0n]);
});

/** Makes a period of 2016 blocks from `startHeight`, with these first and last times and bits. */
function period(times: { first: number; last: number }, bits: { first: number; rest: number }, startHeight: number): ModelNode {
  const hash = new Uint8Array(32);
  let node = new ModelNode(null, times.first, bits.first, 4, hash, startHeight);
  for (let i = 1; i < 2016; i++) {
    const time = i === 2015 ? times.last : times.first + i;
    node = new ModelNode(node, time, bits.rest, 4, hash);
  }
  return node;
}

t.test('retargets once per period as real periods on main did', async (t) => {
  const main = chainParams('main');
  const next = (first: number, last: number, bits: number) =>
    requiredBits(period({ first, last }, { first: bits, rest: bits }, 2016 * 10), last + 600, main);
  // Time of the first block, time of the last block, bits and result of four real periods of mainnet: an ordinary one,
  // one at the limit, and two whose change is limited (downwards and upwards).
  t.equal(next(1261130161, 1262152739, 0x1d00ffff), 0x1d00d86a);
  t.equal(next(1231006505, 1233061996, 0x1d00ffff), 0x1d00ffff);
  t.equal(next(1279008237, 1279297671, 0x1c05a3f4), 0x1c0168fd);
  t.equal(next(1263163443, 1269211443, 0x1c387f6f), 0x1d00e1fd);
  // Within a period the parent's bits stay, whatever the time.
  const inside = new ModelNode(null, 1000, 0x1c05a3f4, 4, new Uint8Array(32), 100);
  t.equal(requiredBits(inside, 1_000_000, main), 0x1c05a3f4);
});

t.test('allows minimum difficulty blocks on test networks by their rules', async (t) => {
  const hash = new Uint8Array(32);
  const testnet = chainParams('test');
  const LIMIT = 0x1d00ffff;
  let node = new ModelNode(null, 1_000_000, 0x1c00ffff, 4, hash, 2016 * 5);
  node = new ModelNode(node, 1_000_600, 0x1c00aaaa, 4, hash);
  for (let i = 0; i < 3; i++) node = new ModelNode(node, 1_002_000 + i * 1300, LIMIT, 4, hash);
  t.equal(requiredBits(node, node.time + 1201, testnet), LIMIT, 'late: the easiest');
  t.equal(requiredBits(node, node.time + 1200, testnet), 0x1c00aaaa, 'not late: the last regular bits');
  let first = new ModelNode(new ModelNode(null, 1, 0x1c00bbbb, 4, hash, 2015), 2, LIMIT, 4, hash, 2016);
  first = new ModelNode(first, 3, LIMIT, 4, hash);
  t.equal(requiredBits(first, 4, testnet), LIMIT, 'the walk stops at the first block of the period');
  const regular = new ModelNode(new ModelNode(null, 1, 0x1c00cccc, 4, hash, 2016), 2, LIMIT, 4, hash);
  t.equal(requiredBits(regular, 3, testnet), 0x1c00cccc, 'and not before it');
  // A period that ends with a late block (of minimum difficulty): testnet3 continues from this block's bits, testnet4
  // (BIP-0094) from those of the first block.
  const end = period({ first: 1_000_000, last: 1_000_000 + 1209600 }, { first: 0x1c00ffff, rest: LIMIT }, 2016 * 5);
  t.equal(requiredBits(end, end.time + 5000, testnet), LIMIT);
  t.equal(requiredBits(end, end.time + 5000, chainParams('testnet4')), 0x1c00ffff);
  const regtest = period({ first: 1_000_000, last: 1_000_001 }, { first: 0x207fffff, rest: 0x207fffff }, 2016);
  t.equal(requiredBits(regtest, 1_000_002, chainParams('regtest')), 0x207fffff, 'no retargeting');
});
