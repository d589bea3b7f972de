// Compares merkle roots with a naive tree, and tests the list with a duplicate tail and coinbase branches.

import t from 'tap';
import {
  coinbaseBranch,
  merkleRoot,
  rootOverBranch,
  witnessCommitmentIndex,
  witnessMerkleRoot,
} from '../../../src/consensus/block/merkle.js';
import { equalBytes, fromHex, toHex } from '../../../src/consensus/bytes/hex.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { fc } from '../../framework/fast-check.js';
import { input, makeBlock, makeCoinbase, makeTx, output } from '../../framework/law-blocks.js';

const hashes = createPureHashes();
fc.configureGlobal({ seed: 20240817, numRuns: 100 });

const join = (a: Uint8Array, b: Uint8Array) => hashes.sha256d(Uint8Array.from([...a, ...b]));
const leaf = (n: number) => new Uint8Array(32).fill(n + 1);

/** Computes the root level by level with plain arrays. */
function naive(leaves: Uint8Array[]): Uint8Array {
  let level = leaves;
  while (level.length > 1) {
    const next: Uint8Array[] = [];
    for (let i = 0; i < level.length; i += 2) next.push(join(level[i], level[i + 1] ?? level[i]));
    level = next;
  }
  return level[0] ?? new Uint8Array(32);
}

t.test('computes merkle roots as a naive tree does', async (t) => {
  for (let n = 0; n <= 40; n++) {
    const leaves = Array.from({ length: n }, (_, i) => leaf(i));
    t.equal(toHex(merkleRoot(leaves, hashes).root), toHex(naive(leaves)), `${n} leaves`);
    t.equal(merkleRoot(leaves, hashes).mutated, false);
  }
});

t.test('detects duplicated leaves that keep the merkle root (CVE-2012-2459)', async (t) => {
  // If the tail of a level of odd length is repeated, the root stays the same (CVE-2012-2459). This holds for any
  // level.
  for (const [count, repeat] of [
    [3, 1],
    [5, 1],
    [6, 2],
    [7, 1],
    [10, 2],
    [12, 4],
    [9, 1],
  ]) {
    const leaves = Array.from({ length: count }, (_, i) => leaf(i));
    const twin = [...leaves, ...leaves.slice(count - repeat)];
    const honest = merkleRoot(leaves, hashes);
    const fake = merkleRoot(twin, hashes);
    t.equal(toHex(fake.root), toHex(honest.root), `${count} + ${repeat}`);
    t.same([honest.mutated, fake.mutated], [false, true]);
  }
  t.equal(merkleRoot([leaf(1), leaf(2), leaf(2), leaf(3)], hashes).mutated, false, 'equal neighbours of different pairs are no pair');
});

t.test('computes merkle branches of the coinbase that lead to the root', async (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), (count) => {
      const leaves = Array.from({ length: count }, (_, i) => leaf(i));
      const root = coinbaseBranch(leaves, hashes).reduce(join, leaves[0]);
      const over = rootOverBranch(leaves[0] as Uint8Array, coinbaseBranch(leaves, hashes), hashes);
      return equalBytes(root, merkleRoot(leaves, hashes).root) && equalBytes(root, over);
    }),
  );
  t.same(coinbaseBranch([leaf(0)], hashes), []);
});

t.test('uses zeros for the coinbase in the witness merkle root', async (t) => {
  const coinbase = makeCoinbase(hashes, fromHex('5151'), [output(0)], { witness: [leaf(0)] });
  const txs = [1, 2].map((n) => makeTx(hashes, { inputs: [input(leaf(n), 0, { witness: [leaf(n)] })] }));
  const { root } = witnessMerkleRoot(makeBlock(hashes, [coinbase, ...txs]));
  t.equal(toHex(root), toHex(naive([new Uint8Array(32), ...txs.map(({ wtxid }) => wtxid)])));
});

t.test('finds the last witness commitment output of a coinbase', async (t) => {
  const mark = '6a24aa21a9ed';
  const find = (...scripts: string[]) =>
    witnessCommitmentIndex(
      makeCoinbase(
        hashes,
        fromHex('5151'),
        scripts.map((hex) => output(0, fromHex(hex))),
      ),
    );
  const full = mark + '00'.repeat(32);
  t.equal(find('51'), -1);
  t.equal(find('51', full), 1);
  t.equal(find(full, '51', full, '51'), 2, 'the last one counts');
  t.equal(find(full.slice(0, -2)), -1, 'too short');
  t.equal(find(`${full}0000`), 0, 'longer is fine');
  t.equal(find(full.replace('aa21', 'aa22')), -1);
});
