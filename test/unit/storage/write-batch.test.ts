// A batch in one buffer against the same operations as an array.
import t from 'tap';
import type { BatchOp } from '../../../src/storage/store.js';
import { WriteBatch } from '../../../src/storage/write-batch.js';
import { fc } from '../../framework/fast-check.js';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

/** Returns the operations of a batch, as an array that later changes do not affect. */
const opsOf = (batch: WriteBatch): BatchOp[] =>
  [...batch].map((op) =>
    op.type === 'put' ? { type: 'put', key: op.key.slice(), value: op.value.slice() } : { type: 'del', key: op.key.slice() },
  );

const key = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 40 }),
  // Often alike.
  fc.array(fc.constantFrom(0, 1, 255), { minLength: 1, maxLength: 6 }).map((few) => Uint8Array.from(few)),
);
const operation: fc.Arbitrary<BatchOp> = fc.oneof(
  fc.record({ type: fc.constant('put' as const), key, value: fc.uint8Array({ maxLength: 90 }) }),
  fc.record({ type: fc.constant('del' as const), key }),
);

t.test('returns operations in the order in which they were added, on both threads', async (t) => {
  fc.assert(
    fc.property(fc.array(operation), fc.boolean(), (ops, packed) => {
      const batch = packed ? WriteBatch.of(ops) : new WriteBatch();
      if (!packed) batch.addAll(ops);
      t.equal(batch.length, ops.length);
      t.same(opsOf(batch), ops);
      t.same(opsOf(WriteBatch.from(batch.takeBuffer())), ops);
      t.equal(batch.bytes.length, 0, 'nothing is left');
    }),
    { numRuns: 200 },
  );
  const ops: BatchOp[] = [
    { type: 'put', key: bytes(4, 5, 6), value: bytes() },
    { type: 'del', key: bytes(7, 8) },
    { type: 'put', key: bytes(9), value: new Uint8Array(70_000).fill(10) },
  ];
  t.same(opsOf(WriteBatch.of(ops)), ops, 'an empty value is not a removal');
});

t.test('reserves operations whose bytes the caller fills in later', async (t) => {
  const batch = new WriteBatch();
  batch.put(bytes(1), bytes(2));
  const at = batch.reserveOperation(2, 3);
  batch.bytes.set([5, 6, 7, 8, 9], at);
  const removed = batch.reserveOperation(1, -1);
  batch.bytes[removed] = 4;
  t.same(opsOf(batch), [
    { type: 'put', key: bytes(1), value: bytes(2) },
    { type: 'put', key: bytes(5, 6), value: bytes(7, 8, 9) },
    { type: 'del', key: bytes(4) },
  ]);
  t.throws(() => batch.put(bytes(), bytes(1)), RangeError, 'a key holds at least one byte');
  batch.useUp();
  t.ok(batch.bytes.every((byte) => byte === 0));
});

t.test('inOrder sorts stably by the first four bytes of the keys', async (t) => {
  const first = ({ key }: BatchOp): number => Buffer.concat([key, Buffer.alloc(4)]).readUInt32BE(0);
  fc.assert(
    fc.property(fc.array(operation), (ops) => {
      const batch = WriteBatch.of(ops);
      const model = [...ops].sort((a, b) => first(a) - first(b));
      const found = [...batch.inOrder()].map((at): BatchOp => {
        const keyEnd = at + batch.keyLength(at);
        const length = batch.valueLength(at);
        const own = batch.bytes.slice(at, keyEnd);
        return length < 0 ? { type: 'del', key: own } : { type: 'put', key: own, value: batch.bytes.slice(keyEnd, keyEnd + length) };
      });
      t.same(found, model);
    }),
    { numRuns: 200 },
  );
});

t.test('inOrder sorts by fewer key bits when a batch has more than two million operations', async (t) => {
  const count = 2 ** 21 + 3;
  const batch = new WriteBatch(count, 5 * count);
  // The fourth byte of the keys cycles. The sort key has too few bits to contain it completely.
  for (let i = 0; i < count; i++) batch.bytes.set([9, 9, i % 3, i & 255, 7], batch.reserveOperation(5, -1));
  const places = batch.inOrder();
  t.equal(places.length, count);
  let wrong = 0;
  for (let i = 1; i < count; i++) {
    const [before, after] = [places[i - 1], places[i]];
    const [x, y] = [
      batch.bytes[before + 2] * 128 + (batch.bytes[before + 3] >> 1),
      batch.bytes[after + 2] * 128 + (batch.bytes[after + 3] >> 1),
    ];
    if (x > y || (x === y && before >= after)) wrong++;
  }
  t.equal(wrong, 0);
});
