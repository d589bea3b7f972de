// Tests the choice of transactions that compact blocks contain in addition to the coinbase.
import t from 'tap';
import type { TxView } from '../../../../src/consensus/tx/tx-view.js';
import { choosePrefilled } from '../../../../src/net/relay/compact-sender.js';

const block = (sizes: readonly number[]): TxView[] => sizes.map((totalSize) => ({ totalSize }) as TxView);

t.test('prefills missing transactions while the message needs no additional TCP window', async (t) => {
  const small = block([200, 300, 300, 5_000, 300]);
  t.same(choosePrefilled(small, []), [0]);
  t.same(choosePrefilled(small, [4, 2]), [0, 2, 4]);
  t.same(choosePrefilled(small, [0]), [0], 'the coinbase once');
  // A TCP window has 14,600 bytes. Of these the message needs 120, the coinbase 200, and four short ids 24.
  t.same(choosePrefilled(block([200, 7_000, 7_263, 300, 300]), [1, 2]), [0, 1], 'one byte too many');
  t.same(choosePrefilled(block([200, 7_000, 7_263, 300, 300]), [2]), [0, 2]);
  t.same(choosePrefilled(block([200, 7_000, 7_262, 300, 300]), [2, 1]), [0, 1, 2], 'to the last byte');
  t.same(choosePrefilled(block([200, 9_000, 9_000, 300, 400]), [1, 2, 3, 4]), [0, 1, 3, 4], 'small ones first');
  // The short ids of 4,000 transactions have 24,000 bytes, so the message takes two windows, of which 4,880 bytes are
  // free.
  const full = block([200, ...Array.from({ length: 4_000 }, () => 400)]);
  t.equal(
    choosePrefilled(
      full,
      Array.from({ length: 4_000 }, (_, i) => i + 1),
    ).length,
    1 + Math.floor(4_880 / 397),
  );
});
