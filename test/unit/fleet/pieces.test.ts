// Large bytes in pieces and back, and what a node or front may be sent instead.

import t from 'tap';
import { Joiner, pieceBytes, split } from '../../../src/fleet/pieces.js';
import { fc } from '../../framework/fast-check.js';

t.test('joins the pieces of a split message', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.integer({ min: 1, max: 200 }), (bytes, size) => {
      const pieces = split(bytes, size);
      const joiner = new Joiner(1 << 20, 4);
      let whole: Uint8Array | null | false = null;
      pieces.forEach((piece, at) => {
        whole = joiner.add('id', { at, of: pieces.length, bytes: piece });
      });
      return Buffer.compare(whole as unknown as Uint8Array, bytes) === 0;
    }),
  );
});

t.test('rejects pieces that are out of order, too large or too many', async (t) => {
  const joiner = new Joiner(10_000, 2);
  const piece = (at: number, of: number, size: number) => ({ at, of, bytes: new Uint8Array(size) });
  t.equal(joiner.add('a', piece(1, 3, 1)), false, 'no beginning');
  t.equal(joiner.add('a', piece(0, 3, 4_000)), null);
  t.equal(joiner.add('a', piece(2, 3, 4_000)), false, 'one is missing');
  t.equal(joiner.add('a', piece(1, 3, 4_000)), false, 'and the rest is of nothing');
  t.equal(joiner.add('b', piece(0, 2, 8_000)), null);
  t.equal(joiner.add('c', piece(0, 2, 8_000)), false, 'no capacity for a second message');
  t.same(joiner.add('b', piece(1, 2, 1_000)), new Uint8Array(9_000), 'the capacity is free again');
  t.equal(joiner.add('d', piece(0, 2, 1)), null);
  t.equal(joiner.add('e', piece(0, 2, 1)), null);
  t.equal(joiner.add('f', piece(0, 2, 1)), null, 'the oldest message is dropped');
  t.equal(joiner.add('d', piece(1, 2, 1)), false, 'and cannot be completed');
  t.same(joiner.add('e', piece(1, 2, 1)), new Uint8Array(2));
});

t.test('joins pieces after a partial first attempt, whichever duplicates the broker drops', async () => {
  const bytes = new Uint8Array(1_000).map((_, i) => i);
  const pieces = split(bytes, 250);
  // Tries that fail somewhere; of each repeated piece the broker stores or drops a copy.
  const tries = fc.array(
    fc.record({ sent: fc.integer({ min: 0, max: 3 }), stored: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }) }),
  );
  fc.assert(
    fc.property(tries, (failed) => {
      const joiner = new Joiner(1 << 20, 4);
      const wholes: Uint8Array[] = [];
      let stored = 0;
      const send = (at: number, again: boolean): void => {
        if (at < stored && !again) return;
        stored = Math.max(stored, at + 1);
        const whole = joiner.add('id', { at, of: pieces.length, bytes: pieces[at]! });
        if (whole) wholes.push(whole);
      };
      for (const { sent, stored: again } of failed) for (let at = 0; at < sent; at++) send(at, again[at]!);
      for (let at = 0; at < pieces.length; at++) send(at, true);
      return wholes.length === 1 && Buffer.compare(wholes[0]!, bytes) === 0;
    }),
  );
});

t.test('limits the number of empty pieces', async (t) => {
  const joiner = new Joiner(10_000, 2);
  let taken = 0;
  while (taken < 1_000 && joiner.add('a', { at: taken, of: 1_000_000, bytes: new Uint8Array(0) }) === null) taken++;
  t.ok(taken < 100, `${taken} taken`);
});

t.test('chooses a piece size below the limit of the broker', async (t) => {
  t.equal(pieceBytes(1 << 20), 256 * 1024);
  t.equal(pieceBytes(64 * 1024), 56 * 1024);
});
