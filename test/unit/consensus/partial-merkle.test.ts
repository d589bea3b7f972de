// Tests partial merkle trees of transaction proofs: round trips, and proofs that must be refused.

import t from 'tap';
import {
  buildPartialMerkle,
  decodePartialMerkle,
  encodePartialMerkle,
  extractMatches,
} from '../../../src/consensus/block/partial-merkle.js';
import { crypto } from '../../framework/chain-fixture.js';
import { fc } from '../../framework/fast-check.js';

fc.configureGlobal({ seed: 44, numRuns: 200 });

t.test('builds partial merkle trees, and rejects malformed ones', async (t) => {
  const leaf = (i: number) => crypto.sha256d(Uint8Array.of(i & 255, i >> 8));
  const rootOf = (hashes: Uint8Array[]): Uint8Array => {
    let level = hashes;
    while (level.length > 1) {
      const next: Uint8Array[] = [];
      for (let i = 0; i < level.length; i += 2) next.push(crypto.sha256d(Buffer.concat([level[i], level[i + 1] ?? level[i]])));
      level = next;
    }
    return level[0];
  };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 70 }), fc.infiniteStream(fc.boolean()), (count, picks) => {
      const txids = Array.from({ length: count }, (_, i) => leaf(i));
      const matches = txids.map(() => picks.next().value as boolean);
      const tree = decodePartialMerkle(encodePartialMerkle(buildPartialMerkle(txids, matches, crypto)));
      const found = extractMatches(tree, crypto);
      const wanted = txids.filter((_, i) => matches[i]);
      if (found === null) return false;
      return (
        found.positions.every((at, i) => at === txids.indexOf(wanted[i])) &&
        Buffer.compare(found.root, rootOf(txids)) === 0 &&
        JSON.stringify(found.txids.map((id) => Buffer.from(id).toString('hex'))) ===
          JSON.stringify(wanted.map((id) => Buffer.from(id).toString('hex')))
      );
    }),
  );
  const tree = buildPartialMerkle([leaf(1), leaf(2), leaf(3)], [false, true, false], crypto);
  t.equal(extractMatches({ ...tree, count: 0 }, crypto), null);
  t.equal(extractMatches({ ...tree, count: 16_667 }, crypto), null);
  t.equal(extractMatches({ ...tree, hashes: [...tree.hashes, leaf(9)] }, crypto), null, 'a hash left over');
  t.equal(extractMatches({ ...tree, hashes: tree.hashes.slice(1) }, crypto), null, 'a hash too few');
  t.equal(extractMatches({ ...tree, flags: [...tree.flags, ...Array(8).fill(false)] }, crypto), null, 'a byte of flags left over');
  t.equal(extractMatches({ count: 4, hashes: [leaf(1), leaf(2), leaf(3)], flags: [true, true, true] }, crypto), null, 'flags too few');
  const twin = {
    count: 4,
    hashes: [leaf(1), leaf(2), crypto.sha256d(Buffer.concat([leaf(1), leaf(2)]))],
    flags: [true, true, true, true, false, false, false, false],
  };
  t.equal(extractMatches(twin, crypto), null, 'equal halves');
  // One hash for the whole block is valid for any number of transactions that a block can have: up to 4,000,000 / 240.
  const whole = (count: number) => extractMatches({ count, hashes: [leaf(1)], flags: [false] }, crypto);
  t.same([whole(1)?.root, whole(16_666)?.root], [leaf(1), leaf(1)]);
  t.same([whole(0), whole(16_667)], [null, null]);
});
