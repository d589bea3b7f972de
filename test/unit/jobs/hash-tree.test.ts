// A tree that follows changes has the same root and branch as a newly built one.
import assert from 'node:assert/strict';
import t from 'tap';
import { merkleRoot } from '../../../src/consensus/block/merkle.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { HashTree } from '../../../src/jobs/hash-tree.js';
import { fc } from '../../framework/fast-check.js';

const hashes = createPureHashes();

t.test('computes the same root and branch as merkleRoot over random sequences of lists', async (t) => {
  const leaf = fc.uint8Array({ minLength: 32, maxLength: 32 });
  let checked = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.array(leaf, { maxLength: 20 }), fc.nat(20)), { minLength: 1, maxLength: 8 }), (lists) => {
      const tree = new HashTree(hashes);
      let before: Uint8Array[] = [];
      for (const [fresh, keep] of lists) {
        const kept = before.slice(0, Math.min(keep, before.length));
        const list = [...kept, ...fresh];
        tree.update(list.length + 1, kept.length === 0 ? 0 : kept.length + 1, (i) => list[i - 1]);
        const all = [new Uint8Array(32), ...list];
        assert.deepEqual(tree.root, merkleRoot(all, hashes).root);
        let top: Uint8Array = new Uint8Array(32);
        for (const sibling of tree.firstBranch) top = hashes.sha256d(Uint8Array.from([...top, ...sibling]));
        assert.deepEqual(top, tree.root);
        before = list;
        checked++;
      }
    }),
    { numRuns: 200 },
  );
  t.ok(checked > 200, `${checked} lists`);
});
